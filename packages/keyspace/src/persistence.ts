/**
 * Effect's own persistence over a fenced connector: what is built on `effect/persistence/Redis`
 * (`PersistedQueue`, `RateLimiter`, `Persistence`, `PersistedCache`) then writes to no node
 * that does not match.
 */
import { Effect, Layer, Scope, Stream } from "effect"
import * as Exit from "effect/Exit"
import * as Redis from "effect/persistence/Redis"
import { Connector, type Lane } from "./Connector.ts"

const failed = (cause: unknown) => new Redis.RedisError({ cause })

type Send = Lane["command"]

/** Effect's shape of a command, over a connector's. The type of a reply is its caller's word, as it is everywhere there. */
const sendWith =
  (command: Send) =>
  <A>(name: string, ...args: ReadonlyArray<string>): Effect.Effect<A, Redis.RedisError> =>
    Effect.mapError(command([name, ...args]), failed) as Effect.Effect<A, Redis.RedisError>

/**
 * Provides `effect/persistence/Redis` from a `Connector`. Its reserved connections are lanes.
 *
 * Fails as the connector does, with the connector's error as the `cause` of a `RedisError`.
 *
 * @example
 * ```ts
 * import { ConnectorWire4 } from "@echomq/connector-wire4"
 * import { layerRedis } from "@echomq/keyspace/persistence"
 * import { Layer } from "effect"
 * import { RateLimiter } from "effect/persistence"
 *
 * const limiter = RateLimiter.layerStoreRedis().pipe(
 *   Layer.provide(layerRedis()),
 *   Layer.provide(ConnectorWire4.layerConfig())
 * )
 * ```
 */
export const layerRedis = (
  options: { readonly pool?: Redis.PoolOptions } = {}
): Layer.Layer<Redis.Redis, never, Connector> =>
  Layer.effect(
    Redis.Redis,
    Effect.gen(function* () {
      const connector = yield* Connector
      return yield* Redis.make({
        send: sendWith(connector.command),
        connect: Effect.gen(function* () {
          const scope = yield* Scope.make()
          const lane = yield* Effect.mapError(Scope.provide(connector.lane, scope), failed)
          return { send: sendWith(lane.command), close: Scope.close(scope, Exit.void) }
        }),
        subscribe: (channel, onMessage) =>
          Effect.succeed(
            connector.subscribe([channel]).pipe(
              Stream.runForEach(({ message }) =>
                Effect.sync(() => onMessage({ channel, message: String(message) }))
              ),
              Effect.mapError(failed)
            )
          ),
        ...(options.pool === undefined ? {} : { pool: options.pool })
      })
    })
  )
