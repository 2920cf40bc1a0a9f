import { ConnectorWire4 } from "@echomq/connector-wire4"
import { type Command, Connector } from "@echomq/keyspace"
import { Context, Effect, Layer } from "effect"
import { quiet } from "../quiet.ts"
import { COUNTER, largeKey, SHA, smallKey, VALUE } from "../Work.ts"
import { TIMEOUT_MILLIS, WAITING } from "./bounds.ts"
import type { Open } from "./Client.ts"
import { ofEffects } from "./ofEffects.ts"

/** The service itself, for what other clients have not. */
export const service = (port: number) =>
  Layer.build(
    ConnectorWire4.layer({
      host: "127.0.0.1",
      port,
      pendingLimit: WAITING,
      commandTimeout: TIMEOUT_MILLIS,
      connectTimeout: "60 seconds"
    })
  ).pipe(quiet, Effect.map(Context.get(Connector)))

/** The connector on wire 4, as a layer provides it. */
export const open: Open = (port) =>
  Effect.map(service(port), ({ command }) => {
    const call = (...parts: Command) => command(parts)
    return ofEffects({
      SET: (i) => call("SET", smallKey(i), VALUE),
      GET: (i) => call("GET", smallKey(i)),
      "GET 1 KB": (i) => call("GET", largeKey(i)),
      EVALSHA: () => call("EVALSHA", SHA, 1, COUNTER, 1)
    })
  })
