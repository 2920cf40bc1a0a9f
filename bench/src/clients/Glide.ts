import { GlideClient, Logger } from "@valkey/valkey-glide"
import { Effect } from "effect"
import { COUNTER, largeKey, SHA, smallKey, VALUE } from "../Work.ts"
import { TIMEOUT_MILLIS, WAITING } from "./bounds.ts"
import type { Open } from "./Client.ts"
import { ofPromises } from "./ofPromises.ts"

Logger.init("off")

/** A client of GLIDE's. */
export const connected = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      GlideClient.createClient({
        addresses: [{ host: "127.0.0.1", port }],
        requestTimeout: TIMEOUT_MILLIS,
        inflightRequestsLimit: WAITING
      })
    ),
    (client) => Effect.sync(() => client.close())
  )

/** GLIDE by itself. */
export const open: Open = (port) =>
  Effect.map(connected(port), (client) =>
    ofPromises({
      SET: (i) => client.customCommand(["SET", smallKey(i), VALUE]),
      GET: (i) => client.customCommand(["GET", smallKey(i)]),
      "GET 1 KB": (i) => client.customCommand(["GET", largeKey(i)]),
      EVALSHA: () => client.customCommand(["EVALSHA", SHA, "1", COUNTER, "1"])
    })
  )
