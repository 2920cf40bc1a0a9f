/**
 * Effect's own persistence over a fenced connector: what is built on `effect/persistence/Redis`
 * (`PersistedQueue`, `RateLimiter`, `Persistence`, `PersistedCache`) then writes to no node
 * that does not match.
 */
import { Deferred, Effect, Fiber, Layer, Scope, Stream } from "effect"
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

/** Effect's subscribers take text, and as much of it as comes; what is no UTF-8 is decoded as well as can be. */
const listen = Effect.fnUntraced(function* (
  connector: Connector["Service"],
  channel: string,
  onText: (text: string) => void
) {
  const subscribed = yield* Deferred.make<void, Redis.RedisError>()
  const listening = yield* connector
    .subscribe([channel], {
      buffer: Number.POSITIVE_INFINITY,
      onSubscribed: Effect.asVoid(Deferred.succeed(subscribed, undefined))
    })
    .pipe(
      Stream.runForEach(({ message }) =>
        Effect.sync(() => onText(typeof message === "string" ? message : new TextDecoder().decode(message)))
      ),
      Effect.mapError(failed),
      Effect.onError((cause) => Deferred.failCause(subscribed, cause)),
      Effect.forkScoped
    )
  yield* Deferred.await(subscribed)
  return Fiber.join(listening)
})

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
          listen(connector, channel, (message) => onMessage({ channel, message })),
        ...(options.pool === undefined ? {} : { pool: options.pool })
      })
    })
  )
