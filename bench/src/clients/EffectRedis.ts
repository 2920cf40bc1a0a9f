import { NodeRedis } from "@effect/platform-node"
import { Context, Effect, Layer } from "effect"
import { Redis } from "effect/persistence/Redis"
import { quiet } from "../quiet.ts"
import { COUNTER, largeKey, SHA, smallKey, VALUE } from "../Work.ts"
import { TIMEOUT_MILLIS } from "./bounds.ts"
import type { Open } from "./Client.ts"
import { ofEffects } from "./ofEffects.ts"

/** Effect's own `Redis` service over node-redis. */
export const open: Open = (port) =>
  Layer.build(
    NodeRedis.layer({
      socket: { host: "127.0.0.1", port },
      commandOptions: { timeout: TIMEOUT_MILLIS }
    })
  ).pipe(
    quiet,
    Effect.map(Context.get(Redis)),
    Effect.map(({ send }) =>
      ofEffects({
        SET: (i) => send("SET", smallKey(i), VALUE),
        GET: (i) => send("GET", smallKey(i)),
        "GET 1 KB": (i) => send("GET", largeKey(i)),
        EVALSHA: () => send("EVALSHA", SHA, "1", COUNTER, "1")
      })
    )
  )
