import { Effect } from "effect"
import { createClient } from "redis"
import { COUNTER, largeKey, SHA, smallKey, VALUE } from "../Work.ts"
import { TIMEOUT_MILLIS } from "./bounds.ts"
import type { Open } from "./Client.ts"
import { ofPromises } from "./ofPromises.ts"

const evalsha = { keys: [COUNTER], arguments: ["1"] }

/** node-redis, the package `redis`. */
export const open: Open = (port) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = createClient({
        socket: { host: "127.0.0.1", port },
        commandOptions: { timeout: TIMEOUT_MILLIS }
      })
      // A lost connection is reported here too, and ends the process where nobody listens.
      client.on("error", () => undefined)
      await client.connect()
      return client
    }),
    (client) => Effect.sync(() => client.destroy())
  ).pipe(
    Effect.map((client) =>
      ofPromises({
        SET: (i) => client.set(smallKey(i), VALUE),
        GET: (i) => client.get(smallKey(i)),
        "GET 1 KB": (i) => client.get(largeKey(i)),
        EVALSHA: () => client.evalSha(SHA, evalsha)
      })
    )
  )
