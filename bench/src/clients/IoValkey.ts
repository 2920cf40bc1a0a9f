import { Effect } from "effect"
import { Redis } from "iovalkey"
import { COUNTER, largeKey, SHA, smallKey, VALUE } from "../Work.ts"
import type { Open } from "./Client.ts"
import { ofPromises } from "./ofPromises.ts"

/** iovalkey, with its auto-pipelining. */
export const open: Open = (port) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Redis({ host: "127.0.0.1", port, enableAutoPipelining: true, lazyConnect: true })
      // A lost connection is reported here too, and ends the process where nobody listens.
      client.on("error", () => undefined)
      await client.connect()
      return client
    }),
    (client) => Effect.sync(() => client.disconnect())
  ).pipe(
    Effect.map((client) =>
      ofPromises({
        SET: (i) => client.set(smallKey(i), VALUE),
        GET: (i) => client.get(smallKey(i)),
        "GET 1 KB": (i) => client.get(largeKey(i)),
        EVALSHA: () => client.evalsha(SHA, 1, COUNTER, 1)
      })
    )
  )
