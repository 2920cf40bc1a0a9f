import { fromConfig, type Options, open } from "@echomq/connector-wire4/link"
import {
  type AuthRefused,
  type BootRefused,
  type ClientRule,
  type ConnectFailed,
  Connector,
  type EmqAbsent,
  type EmqVersion,
  Fence,
  type ModuleVersion,
  runNative,
  type VersionFence
} from "@echomq/keyspace"
import { type Config, Context, Effect, Layer, type Scope } from "effect"

/** Every way in which the first connection of wire 6 can fail. All but `ConnectFailed` are fatal. */
export type ConnectError =
  | ConnectFailed
  | AuthRefused
  | BootRefused
  | EmqAbsent
  | EmqVersion
  | ClientRule
  | VersionFence

/**
 * A `Connector` on wire 6 that also tells of the node's module.
 *
 * @example
 * ```ts
 * import { ConnectorWire6 } from "@echomq/connector-wire6"
 * import { Effect } from "effect"
 *
 * const build = Effect.gen(function* () {
 *   const connector = yield* ConnectorWire6.ConnectorWire6
 *   return (yield* connector.module).build
 * })
 * ```
 */
export class ConnectorWire6 extends Context.Service<
  ConnectorWire6,
  Connector["Service"] & {
    /** What the module of the latest connection reported; it has passed the client rule. */
    readonly module: Effect.Effect<ModuleVersion.ModuleReport>
  }
>()("@echomq/connector-wire6/ConnectorWire6") {}

/**
 * A connector of the native executor, for the lifetime of the scope.
 *
 * Before it serves anyone it asks the module for `EMQ.VERSION`, applies the client rule,
 * and then verifies that the node holds `echomq:6.0.0`; and again on every later
 * connection. It never writes `{emq}:version`: that is `EMQ.INSTALL`'s, an operator's act.
 */
export const make = (
  options: Options = {}
): Effect.Effect<ConnectorWire6["Service"], ConnectError, Scope.Scope> =>
  Effect.map(open(6, Fence.wire6, options), ({ connector, passed }) => ({
    ...connector,
    module: passed,
    run: runNative(connector, passed)
  }))

const provide = <E>(made: Effect.Effect<ConnectorWire6["Service"], E, Scope.Scope>) =>
  Layer.effectContext(
    Effect.map(made, (connector) =>
      Context.make(Connector, connector).pipe(Context.add(ConnectorWire6, connector))
    )
  )

/**
 * Provides a `Connector` on wire 6, and the same one as `ConnectorWire6`. Building it makes
 * one attempt; `Layer.retry` makes more.
 *
 * @example
 * ```ts
 * import { ConnectorWire6 } from "@echomq/connector-wire6"
 * import { Connector } from "@echomq/keyspace"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const connector = yield* Connector
 *   return yield* connector.command(["EMQ.ENQUEUE", 1, "emq:{orders}:pending", "JOB0KHTOWnGLuC"])
 * }).pipe(Effect.provide(ConnectorWire6.layer({ host: "127.0.0.1", port: 6379 })))
 * ```
 */
export const layer = (options: Options = {}): Layer.Layer<Connector | ConnectorWire6, ConnectError> =>
  provide(make(options))

/**
 * The same, configured by `EMQ_URL`, or `EMQ_HOST` and `EMQ_PORT`, with `EMQ_USERNAME`,
 * `EMQ_PASSWORD`, `EMQ_DATABASE`, `EMQ_CLIENT_NAME` and `EMQ_TLS`. `options` has what the
 * environment does not name.
 */
export const layerConfig = (
  options: Options = {}
): Layer.Layer<Connector | ConnectorWire6, ConnectError | Config.ConfigError> =>
  provide(Effect.flatMap(fromConfig(options), make))
