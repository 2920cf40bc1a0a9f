import {
  type AuthRefused,
  type BootRefused,
  type ConnectFailed,
  Connector,
  Fence,
  runScripted,
  type VersionFence
} from "@echomq/keyspace"
import { type Config, Effect, Layer, type Scope } from "effect"
import { fromConfig, type Options, open } from "./link/index.ts"

/** Every way in which the first connection of wire 4 can fail. All but `ConnectFailed` are fatal. */
export type ConnectError = ConnectFailed | AuthRefused | BootRefused | VersionFence

/**
 * A connector of the scripted executor, for the lifetime of the scope.
 *
 * Before it serves anyone it claims `{emq}:version` on an empty node, or verifies that
 * the node holds `echomq:4.0.0`; and again on every later connection.
 */
export const make = (options: Options = {}): Effect.Effect<Connector["Service"], ConnectError, Scope.Scope> =>
  Effect.map(open(4, Fence.wire4, options), ({ connector }) => ({
    ...connector,
    run: runScripted(connector)
  }))

/**
 * Provides a `Connector` on wire 4. Building it makes one attempt; `Layer.retry` makes more.
 *
 * @example
 * ```ts
 * import { ConnectorWire4 } from "@echomq/connector-wire4"
 * import { Connector } from "@echomq/keyspace"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const connector = yield* Connector
 *   return yield* connector.command(["INCR", "visits"])
 * }).pipe(Effect.provide(ConnectorWire4.layer({ host: "127.0.0.1", port: 6379 })))
 * ```
 */
export const layer = (options: Options = {}): Layer.Layer<Connector, ConnectError> =>
  Layer.effect(Connector, make(options))

/**
 * The same, configured by `EMQ_URL`, or `EMQ_HOST` and `EMQ_PORT`, with `EMQ_USERNAME`,
 * `EMQ_PASSWORD`, `EMQ_DATABASE`, `EMQ_CLIENT_NAME` and `EMQ_TLS`. `options` has what the
 * environment does not name.
 */
export const layerConfig = (
  options: Options = {}
): Layer.Layer<Connector, ConnectError | Config.ConfigError> =>
  Layer.effect(Connector, Effect.flatMap(fromConfig(options), make))
