/**
 * What Effect documents of its persistence modules, over `layerRedis` and a fenced connector.
 */
import { Connector, ServerError, VERSION_KEY, VersionFence, WIRE_6 } from "@echomq/keyspace"
import { layerRedis } from "@echomq/keyspace/persistence"
import { TestNode } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Context, Duration, Effect, Exit, Fiber, Layer, Queue, Schedule, Schema, Scope } from "effect"
import {
  Persistable,
  PersistedCache,
  PersistedQueue,
  Persistence,
  RateLimiter,
  Redis
} from "effect/persistence"
import { ConnectorWire4 } from "../src/index.ts"
import { keys } from "./support/statistics.ts"

type Node = TestNode["Service"]
type Service = Connector["Service"]

const connect = (node: Node) => ConnectorWire4.make({ host: node.host, port: node.port })

const start = Effect.gen(function* () {
  const node = yield* TestNode.make()
  return { node, connector: yield* connect(node) }
})

/** Builds what stands on Effect's Redis, over a connector. */
const over = <A, E>(
  connector: Service,
  layer: Layer.Layer<A, E, Redis.Redis>,
  options?: Parameters<typeof layerRedis>[0]
): Effect.Effect<Context.Context<A>, E, Scope.Scope> =>
  Layer.build(
    layer.pipe(Layer.provide(layerRedis(options)), Layer.provide(Layer.succeed(Connector, connector)))
  )

/** Turns the node into a foreign one, and waits until the connector knows. */
const swap = Effect.fnUntraced(function* (node: Node, connector: Service) {
  yield* node.replace({ seed: [["SET", VERSION_KEY, WIRE_6]] })
  const error = yield* Effect.flip(connector.stopped)
  expect(error).toBeInstanceOf(VersionFence)
  return error
})

const expectUntouched = Effect.fnUntraced(function* (node: Node) {
  expect(yield* keys(node)).toEqual([VERSION_KEY])
  expect(yield* node.writes).toBe(0)
})

describe("Redis", () => {
  const passThrough = Layer.effect(Redis.Redis, Redis.Redis)
  const made = Effect.fnUntraced(function* (pool?: Redis.PoolOptions) {
    const { connector, node } = yield* start
    const redis = Context.get(
      yield* over(connector, passThrough, pool === undefined ? {} : { pool }),
      Redis.Redis
    )
    return { connector, node, redis }
  })

  it.live("sends commands, and fails with the connector's error as the cause", () =>
    Effect.gen(function* () {
      const { node, redis } = yield* made()
      expect(yield* redis.send("SET", "k", "v")).toBe("OK")
      expect(yield* redis.send("GET", "k")).toBe("v")
      const { message } = yield* Effect.flip(node.admin("LPUSH", "k", "x"))
      const error = yield* Effect.flip(redis.send("LPUSH", "k", "x"))
      expect(error).toBeInstanceOf(Redis.RedisError)
      expect(error.cause).toBeInstanceOf(ServerError)
      expect(error.cause).toMatchObject({ code: "WRONGTYPE", message })
      expect((yield* Effect.flip(redis.send("SELECT", "1"))).cause).toMatchObject({ _tag: "CommandRefused" })
    })
  )

  it.live("loads a script once, and again where the server has forgotten it", () =>
    Effect.gen(function* () {
      const { node, redis } = yield* made()
      const add = Redis.script((key: string, by: number) => [key, by], {
        lua: "return redis.call('INCRBY', KEYS[1], ARGV[1])",
        numberOfKeys: 1
      }).withReturnType<number>()
      const bump = redis.eval(add)
      const replies = yield* Effect.forEach(Array.from({ length: 50 }), () => bump("n", 2), {
        concurrency: "unbounded"
      })
      expect(replies.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => 2 * (i + 1)))
      expect((yield* node.executed)["script|load"]).toBe(1)
      yield* node.admin("SCRIPT", "FLUSH")
      expect(yield* bump("n", 1)).toBe(101)
      expect((yield* node.executed)["script|load"]).toBe(2)
    })
  )

  it.live("reserves connections that may block, and takes them back", () =>
    Effect.gen(function* () {
      const { node, redis } = yield* made()
      const id = yield* Effect.scoped(
        Effect.gen(function* () {
          const reserved = yield* redis.reserve
          const popped = yield* Effect.forkScoped(reserved.send("BLPOP", "list", "0"))
          yield* until("it is blocked", node.admin("INFO", "clients"), (info) =>
            String(info).includes("blocked_clients:1")
          )
          yield* redis.send("RPUSH", "list", "x")
          expect(yield* Fiber.join(popped)).toEqual(["list", "x"])
          return yield* reserved.send<number>("CLIENT", "ID")
        })
      )
      const again = Effect.scoped(Effect.flatMap(redis.reserve, ({ send }) => send<number>("CLIENT", "ID")))
      expect(yield* again).toBe(id)
      expect(yield* redis.send("CLIENT", "ID")).not.toBe(id)
      expect((yield* Effect.flip(redis.send("BLPOP", "list", "0"))).cause).toMatchObject({
        _tag: "CommandRefused"
      })
    })
  )

  it.live("takes none back that was interrupted: the server has forgotten its command", () =>
    Effect.gen(function* () {
      const { node, redis } = yield* made()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const reserved = yield* redis.reserve
          yield* Effect.timeoutOption(reserved.send("BLPOP", "list", "0"), "200 millis")
        })
      )
      yield* until("the server has forgotten it", node.admin("INFO", "clients"), (info) =>
        String(info).includes("blocked_clients:0")
      )
      yield* redis.send("RPUSH", "list", "x")
      expect(yield* redis.send("LLEN", "list")).toBe(1)
      const popped = Effect.scoped(Effect.flatMap(redis.reserve, ({ send }) => send("BLPOP", "list", "0")))
      expect(yield* popped).toEqual(["list", "x"])
    })
  )

  it.live("reserves no more than the pool has, and says so after its time-out", () =>
    Effect.gen(function* () {
      const { redis } = yield* made({ maxConnections: 1, acquireTimeout: "100 millis" })
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* redis.reserve
          const error = yield* Effect.flip(Effect.scoped(redis.reserve))
          expect(error).toBeInstanceOf(Redis.RedisError)
          expect(Cause.isTimeoutError(error.cause)).toBe(true)
        })
      )
      yield* Effect.scoped(redis.reserve)
    })
  )

  it.live("closes every connection with its scope, also one that is blocked", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start
      const scope = yield* Scope.make()
      const redis = Context.get(yield* Scope.provide(over(connector, passThrough), scope), Redis.Redis)
      const blocked = yield* Effect.forkScoped(
        Effect.exit(Effect.scoped(Effect.flatMap(redis.reserve, ({ send }) => send("BLPOP", "list", "0"))))
      )
      yield* until("it is blocked", node.admin("INFO", "clients"), (info) =>
        String(info).includes("blocked_clients:1")
      )
      yield* Scope.close(scope, Exit.void)
      expect(Exit.isFailure(yield* Fiber.join(blocked))).toBe(true)
      yield* until("one connection is left", node.connections, (open) => open === 1)
      expect(yield* connector.command(["PING"])).toBe("PONG")
    })
  )

  it.live("hears all that is published once it has subscribed", () =>
    Effect.gen(function* () {
      const { connector, node, redis } = yield* made()
      const texts = Array.from({ length: 3_000 }, (_, i) => String(i))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const heard = yield* redis.subscribe("news")
          yield* connector.pipeline(texts.map((text) => ["PUBLISH", "news", text]))
          const messages = yield* Effect.forEach(texts, () => Queue.take(heard))
          expect(messages).toEqual(texts.map((message) => ({ channel: "news", message })))
          yield* connector.command(["PUBLISH", "news", Buffer.from("61ff", "hex")])
          expect((yield* Queue.take(heard)).message).toBe("a\ufffd")
        })
      )
      yield* until("it has unsubscribed", node.admin("PUBSUB", "NUMSUB", "news"), (reply) =>
        String(reply).endsWith(",0")
      )
    })
  )

  it.live("on a node that is foreign by now fails with the fence, in every way, and writes nothing", () =>
    Effect.gen(function* () {
      const { connector, node, redis } = yield* made()
      const add = Redis.script((key: string) => [key], {
        lua: "return redis.call('INCR', KEYS[1])",
        numberOfKeys: 1
      })
      yield* redis.eval(add)("n")
      const heard = yield* redis.subscribe("news")
      const reserved = yield* redis.reserve
      const fence = yield* swap(node, connector)
      expect((yield* Effect.flip(redis.send("SET", "k", "v"))).cause).toBe(fence)
      expect((yield* Effect.flip(redis.eval(add)("n"))).cause).toBe(fence)
      expect((yield* Effect.flip(reserved.send("SET", "k", "v"))).cause).toBe(fence)
      expect((yield* Effect.flip(Effect.scoped(redis.reserve))).cause).toBe(fence)
      const ended = yield* Effect.flip(Queue.take(heard))
      expect(ended).toBeInstanceOf(Redis.RedisError)
      expect(ended.cause).toBe(fence)
      const late = yield* redis.subscribe("news")
      expect((yield* Effect.flip(Queue.take(late))).cause).toBe(fence)
      yield* expectUntouched(node)
    })
  )
})

describe("PersistedQueue", () => {
  const Item = Schema.Struct({ n: Schema.Number, when: Schema.Date, text: Schema.String })
  const item = (n: number) => ({ n, when: new Date(1_700_000_000_000 + n), text: `schön ${n} \u{1f600}` })

  const stores = (options: Parameters<typeof PersistedQueue.layerStoreRedis>[0] = {}) =>
    PersistedQueue.layer.pipe(
      Layer.provideMerge(PersistedQueue.layerStoreRedis({ pollInterval: "20 millis", ...options }))
    )

  interface QueueOptions {
    readonly maxAttempts?: number
    readonly retrySchedule?: Schedule.Schedule<unknown, number>
  }

  const open = Effect.fnUntraced(function* (
    connector: Service,
    options: QueueOptions = {},
    store: Parameters<typeof PersistedQueue.layerStoreRedis>[0] = {}
  ) {
    const context = yield* over(connector, stores(store))
    const queue = yield* Effect.provideContext(
      PersistedQueue.make({ name: "jobs", schema: Item, ...options }),
      context
    )
    return { queue, store: Context.get(context, PersistedQueue.PersistedQueueStore) }
  })

  const started = Effect.fnUntraced(function* (options: QueueOptions = {}) {
    const { connector, node } = yield* start
    return { connector, node, ...(yield* open(connector, options)) }
  })

  const at = (key: string) => `effectq:jobs${key}`

  it.live("hands elements over in order, each once, and forgets what was processed", () =>
    Effect.gen(function* () {
      const { node, queue } = yield* started()
      const ids = yield* Effect.forEach([1, 2, 3], (n) => queue.offer(item(n)))
      expect(new Set(ids).size).toBe(3)
      for (const [i, id] of ids.entries()) {
        const taken = yield* queue.take((value, metadata) => Effect.succeed({ value, metadata }))
        expect(taken).toEqual({ value: item(i + 1), metadata: { id, attempts: 1 } })
      }
      expect(yield* node.admin("LLEN", at(""))).toBe(0)
      expect(yield* node.admin("HLEN", at(":pending"))).toBe(0)
      expect(yield* node.admin("HLEN", at(":attempts"))).toBe(0)
    })
  )

  it.live("waits for an element", () =>
    Effect.gen(function* () {
      const { queue } = yield* started()
      const taken = yield* Effect.forkScoped(queue.take((value) => Effect.succeed(value.n)))
      expect(taken.pollUnsafe()).toBe(undefined)
      yield* queue.offer(item(7))
      expect(yield* Fiber.join(taken)).toBe(7)
    })
  )

  it.live("tries a failed one again by its schedule, and keeps it as failed after the last attempt", () =>
    Effect.gen(function* () {
      const { node, queue } = yield* started({ maxAttempts: 3, retrySchedule: Schedule.spaced("20 millis") })
      yield* queue.offer(item(1))
      for (let attempt = 1; attempt <= 3; attempt++) {
        const exit = yield* Effect.exit(
          queue.take((_, { attempts }) => Effect.fail(`attempt ${attempts}` as const))
        )
        expect(exit).toEqual(Exit.fail(`attempt ${attempt}`))
      }
      yield* queue.offer(item(2))
      expect(yield* queue.take((value) => Effect.succeed(value.n))).toBe(2)
      const [failed, ...others] = (yield* node.admin("LRANGE", at(":failed"), 0, -1)) as ReadonlyArray<string>
      expect(others).toEqual([])
      expect(JSON.parse(failed ?? "")).toMatchObject({ attempts: 3, element: { n: 1 } })
      expect(failed).toContain("attempt 3")
      expect(yield* node.admin("HLEN", at(":pending"))).toBe(0)
    })
  )

  it.live("succeeds where a later attempt does", () =>
    Effect.gen(function* () {
      const { node, queue } = yield* started({ retrySchedule: Schedule.spaced("20 millis") })
      yield* queue.offer(item(1))
      yield* Effect.exit(queue.take(() => Effect.fail("not yet")))
      expect(yield* queue.take((_, { attempts }) => Effect.succeed(attempts))).toBe(2)
      expect(yield* node.admin("EXISTS", at(":failed"))).toBe(0)
    })
  )

  it.live("counts no attempt for a worker that was interrupted", () =>
    Effect.gen(function* () {
      const { node, queue } = yield* started()
      yield* queue.offer(item(1))
      const working = yield* Effect.forkScoped(queue.take(() => Effect.never))
      yield* until("it is taken", node.admin("HLEN", at(":pending")), (count) => count === 1)
      yield* Fiber.interrupt(working)
      expect(yield* node.admin("LLEN", at(""))).toBe(1)
      expect(yield* queue.take((_, { attempts }) => Effect.succeed(attempts))).toBe(1)
    })
  )

  it.live("takes an id of the caller's once, also after it was processed", () =>
    Effect.gen(function* () {
      const { queue, store } = yield* started()
      const take = queue.take((value, { id }) => Effect.succeed([id, value.n]))
      expect(yield* queue.offer(item(1), { id: "a" })).toBe("a")
      yield* queue.offer(item(2), { id: "a" })
      yield* queue.offer(item(3), { id: "b" })
      expect(yield* take).toEqual(["a", 1])
      expect(yield* take).toEqual(["b", 3])
      yield* queue.offer(item(4), { id: "a" })
      yield* queue.offer(item(5), { id: "c", delay: "10 millis" })
      expect(yield* take).toEqual(["c", 5])
      yield* Effect.sleep(5)
      yield* store.cleanup({ timeToLive: Duration.zero, failedTimeToLive: undefined })
      yield* queue.offer(item(6), { id: "a" })
      expect(yield* take).toEqual(["a", 6])
    })
  )

  it.live("hands a delayed one over later than one that is not, and an infinitely delayed one never", () =>
    Effect.gen(function* () {
      const { node, queue } = yield* started()
      yield* queue.offer(item(1), { delay: "300 millis" })
      yield* queue.offer(item(2), { id: "delayed", delay: "600 millis" })
      yield* queue.offer(item(3), { id: "never", delay: Duration.infinity })
      yield* queue.offer(item(4))
      expect(yield* node.admin("ZCARD", at(":delayed"))).toBe(2)
      const order = yield* Effect.forEach([1, 2, 3], () => queue.take((value) => Effect.succeed(value.n)))
      expect(order).toEqual([4, 1, 2])
      expect(yield* node.admin("ZCARD", at(":delayed"))).toBe(0)
      expect(yield* queue.offer(item(5), { id: "never" })).toBe("never")
      expect(yield* queue.take((value) => Effect.succeed(value.n))).toBe(5)
    })
  )

  it.live("keeps what does not fit its schema as failed, and hands over the next", () =>
    Effect.gen(function* () {
      const { node, queue } = yield* started()
      yield* node.admin("RPUSH", at(""), JSON.stringify({ id: "bad", element: { n: "no number" } }))
      yield* queue.offer(item(1))
      expect(yield* queue.take((value) => Effect.succeed(value.n))).toBe(1)
      expect(yield* node.admin("LLEN", at(":failed"))).toBe(1)
    })
  )

  it.live("shares the work among workers of several connectors, each element once", () =>
    Effect.gen(function* () {
      const { connector, node, queue } = yield* started()
      const other = yield* open(yield* connect(node))
      const third = yield* open(connector)
      const done: Array<number> = []
      const work = (worker: typeof queue) =>
        Effect.forkScoped(Effect.forever(worker.take((value) => Effect.sync(() => void done.push(value.n)))))
      const workers = yield* Effect.forEach([queue, queue, other.queue, other.queue, third.queue], work)
      yield* Effect.forEach(
        Array.from({ length: 200 }, (_, i) => i),
        (n) => queue.offer(item(n)),
        { concurrency: 20 }
      )
      yield* until(
        "all are done",
        Effect.sync(() => done.length),
        (length) => length >= 200
      )
      yield* Effect.forEach(workers, Fiber.interrupt)
      expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i))
    })
  )

  it.live("hands over again what a worker held whose lock has run out", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start
      const lost = yield* open(connector, {}, { lockExpiration: "100 millis", lockRefreshInterval: "1 hour" })
      yield* lost.queue.offer(item(1))
      yield* Effect.forkScoped(lost.queue.take(() => Effect.never))
      yield* until("it is taken", node.admin("HLEN", at(":pending")), (count) => count === 1)
      const other = yield* open(yield* connect(node), {}, { lockRefreshInterval: "20 millis" })
      expect(yield* other.queue.take((value, { attempts }) => Effect.succeed([value.n, attempts]))).toEqual([
        1, 2
      ])
    })
  )

  it.live("goes on after its node was started again", () =>
    Effect.gen(function* () {
      const { connector, node, queue } = yield* started()
      yield* queue.offer(item(1))
      const worker = yield* Effect.forkScoped(
        Effect.forEach([1, 2], () => queue.take((value) => Effect.succeed(value.n)))
      )
      yield* until("the first is done", node.admin("LLEN", at("")), (length) => length === 0)
      yield* node.restart
      yield* until("it has reconnected", connector.stats, ({ reconnects }) => reconnects === 1)
      yield* queue.offer(item(2))
      expect(yield* Fiber.join(worker)).toEqual([1, 2])
    })
  )

  it.live("writes nothing to a node that is foreign by now", () =>
    Effect.gen(function* () {
      const { connector, node, queue } = yield* started()
      const waiting = yield* Effect.forkScoped(queue.take(() => Effect.void))
      const fence = yield* swap(node, connector)
      for (const options of [
        {},
        { id: "a" },
        { delay: "1 second" },
        { id: "b", delay: "1 second" }
      ] as const) {
        const error = yield* Effect.flip(queue.offer(item(1), options))
        expect(error).toBeInstanceOf(PersistedQueue.PersistedQueueError)
        expect((error as PersistedQueue.PersistedQueueError).cause).toBe(fence)
      }
      yield* Fiber.interrupt(waiting)
      yield* expectUntouched(node)
    })
  )
})

describe("RateLimiter", () => {
  const limiters = RateLimiter.layer.pipe(Layer.provide(RateLimiter.layerStoreRedis({ prefix: "limit:" })))
  const open = (connector: Service) =>
    Effect.map(over(connector, limiters), (context) => Context.get(context, RateLimiter.RateLimiter))
  const started = Effect.gen(function* () {
    const { connector, node } = yield* start
    return { connector, node, limiter: yield* open(connector) }
  })

  const exceeded = (error: RateLimiter.RateLimiterError) => {
    if (error.reason._tag !== "RateLimitExceeded") return expect.unreachable(String(error))
    return error.reason
  }

  it.live("a fixed window lets its limit pass and no more, until it is over", () =>
    Effect.gen(function* () {
      const { limiter, node } = yield* started
      const consume = limiter.consume({ key: "k", limit: 3, window: "5 seconds" })
      for (const remaining of [2, 1, 0]) {
        expect(yield* consume).toMatchObject({ limit: 3, remaining, delay: Duration.zero })
      }
      const reason = exceeded(yield* Effect.flip(consume))
      expect(reason).toMatchObject({ key: "k", limit: 3, remaining: 0 })
      expect(Duration.toMillis(reason.retryAfter)).toBeGreaterThan(0)
      expect(Duration.toMillis(reason.retryAfter)).toBeLessThanOrEqual(5_000)
      expect(yield* limiter.consume({ key: "other", limit: 3, window: "5 seconds" })).toMatchObject({
        remaining: 2
      })
      expect(yield* keys(node)).toEqual(["limit:k", "limit:other", VERSION_KEY].toSorted())
      yield* until("the window is over", node.admin("EXISTS", "limit:k"), (exists) => exists === 0)
      expect(yield* consume).toMatchObject({ remaining: 2 })
    })
  )

  it.live("a fixed window tells how long to wait instead, where it is asked to", () =>
    Effect.gen(function* () {
      const { limiter } = yield* started
      const consume = limiter.consume({ key: "k", limit: 2, window: "1 minute", onExceeded: "delay" })
      expect((yield* consume).delay).toEqual(Duration.zero)
      expect((yield* consume).delay).toEqual(Duration.zero)
      const { delay } = yield* consume
      expect(Duration.toMillis(delay)).toBeGreaterThan(0)
      expect(Duration.toMillis(delay)).toBeLessThanOrEqual(60_000)
    })
  )

  it.live("a token bucket lets its tokens pass, and refills", () =>
    Effect.gen(function* () {
      const { limiter } = yield* started
      const options = { key: "k", limit: 4, window: "4 seconds", algorithm: "token-bucket" } as const
      expect(yield* limiter.consume({ ...options, tokens: 3 })).toMatchObject({ remaining: 1 })
      const reason = exceeded(yield* Effect.flip(limiter.consume({ ...options, tokens: 4 })))
      expect(Duration.toMillis(reason.retryAfter)).toBeGreaterThan(0)
      exceeded(yield* Effect.flip(limiter.consume({ ...options, tokens: 5 })))
      const refilled = yield* until(
        "it is refilled",
        Effect.option(limiter.consume({ ...options, tokens: 4 })),
        (consumed) => consumed._tag === "Some"
      )
      expect(refilled).toMatchObject({ value: { limit: 4, remaining: 0 } })
      const delayed = yield* limiter.consume({ ...options, tokens: 4, onExceeded: "delay" })
      expect(Duration.toMillis(delayed.delay)).toBeGreaterThan(0)
    })
  )

  it.live.each(["fixed-window", "token-bucket"] as const)(
    "%s: one limit for all connectors, however many ask at once",
    (algorithm) =>
      Effect.gen(function* () {
        const { limiter, node } = yield* started
        const other = yield* open(yield* connect(node))
        const exits = yield* Effect.forEach(
          Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? limiter : other)),
          (limiter) => Effect.exit(limiter.consume({ key: "k", limit: 25, window: "1 hour", algorithm })),
          { concurrency: "unbounded" }
        )
        expect(exits.filter(Exit.isSuccess)).toHaveLength(25)
      })
  )

  it.live("learns from the limit that a service tells", () =>
    Effect.gen(function* () {
      const { limiter } = yield* started
      const consume = limiter.adaptiveConsume({
        key: "api",
        tokens: 1,
        fallbackLimit: 10,
        fallbackWindow: Duration.minutes(1)
      })
      const { epoch, phase } = yield* consume
      expect({ epoch, phase }).toEqual({ epoch: 0, phase: "inactive" })
      yield* limiter.adaptiveFeedback({
        key: "api",
        tokens: 1,
        epoch,
        status: 429,
        retryAfter: Duration.minutes(1)
      })
      const cooling = yield* consume
      expect(cooling.phase).toBe("cooldown")
      expect(Duration.toMillis(cooling.delay)).toBeGreaterThan(0)
    })
  )

  it.live("runs effects within the limit", () =>
    Effect.gen(function* () {
      const { connector } = yield* start
      const context = yield* over(connector, limiters)
      const withLimiter = yield* Effect.provideContext(RateLimiter.makeWithRateLimiter, context)
      let ran = 0
      const limited = withLimiter({ key: "k", limit: 2, window: "1 hour" })(Effect.sync(() => ++ran))
      expect(yield* limited).toBe(1)
      expect(yield* limited).toBe(2)
      expect((yield* Effect.flip(limited))._tag).toBe("RateLimiterError")
      expect(ran).toBe(2)
    })
  )

  it.live("writes nothing to a node that is foreign by now", () =>
    Effect.gen(function* () {
      const { connector, limiter, node } = yield* started
      const fence = yield* swap(node, connector)
      for (const algorithm of ["fixed-window", "token-bucket"] as const) {
        const { reason } = yield* Effect.flip(
          limiter.consume({ key: "k", limit: 2, window: "1 hour", algorithm })
        )
        if (reason._tag !== "RateLimitStoreError") return expect.unreachable(reason._tag)
        expect(reason.cause instanceof Redis.RedisError ? reason.cause.cause : reason.cause).toBe(fence)
      }
      yield* expectUntouched(node)
    })
  )
})

class User extends Persistable.Class<{ payload: { readonly id: number } }>()("User", {
  primaryKey: ({ id }) => `user:${id}`,
  success: Schema.Struct({ id: Schema.Number, name: Schema.String, since: Schema.Date }),
  error: Schema.String
}) {}

type Success = Persistable.SuccessSchema<User>
type Failure = Persistable.ErrorSchema<User>

const user = (id: number) => ({ id, name: `Jürgen ${id}`, since: new Date(1_700_000_000_000) })
const found = (id: number) => Exit.succeed(user(id))

describe("Persistence", () => {
  const open = Effect.fnUntraced(function* (
    connector: Service,
    storeId = "users",
    timeToLive: Duration.Input = Duration.infinity
  ) {
    const { make } = Context.get(yield* over(connector, Persistence.layerRedis), Persistence.Persistence)
    return yield* make({ storeId, timeToLive: () => timeToLive })
  })
  const started = Effect.gen(function* () {
    const { connector, node } = yield* start
    return { connector, node, store: yield* open(connector) }
  })

  it.live("keeps successes and failures", () =>
    Effect.gen(function* () {
      const { connector, node, store } = yield* started
      expect(yield* store.get(new User({ id: 1 }))).toBe(undefined)
      yield* store.set(new User({ id: 1 }), found(1))
      yield* store.set(new User({ id: 2 }), Exit.fail("unknown"))
      expect(yield* store.get(new User({ id: 1 }))).toEqual(found(1))
      expect(yield* store.get(new User({ id: 2 }))).toEqual(Exit.fail("unknown"))
      expect(yield* node.admin("PTTL", "users:user:1")).toBe(-1)
      const other = yield* open(yield* connect(node))
      expect(yield* other.get(new User({ id: 1 }))).toEqual(found(1))
      yield* store.remove(new User({ id: 1 }))
      expect(yield* other.get(new User({ id: 1 }))).toBe(undefined)
      expect((yield* connector.status)._tag).toBe("Serving")
    })
  )

  it.live("keeps them for their time, and not at all where that is none", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start
      const short = yield* open(connector, "short", "500 millis")
      yield* short.set(new User({ id: 1 }), found(1))
      yield* short.setMany([
        [new User({ id: 2 }), found(2)],
        [new User({ id: 3 }), Exit.fail("unknown")]
      ])
      for (const id of [1, 2, 3]) {
        const left = Number(yield* node.admin("PTTL", `short:user:${id}`))
        expect(left).not.toBe(-1)
        expect(left).toBeLessThanOrEqual(500)
      }
      yield* until("it is gone", short.get(new User({ id: 1 })), (exit) => exit === undefined)
      const none = yield* open(connector, "none", Duration.zero)
      yield* none.set(new User({ id: 1 }), found(1))
      yield* none.setMany([[new User({ id: 2 }), found(2)]])
      expect(yield* node.admin("KEYS", "none:*")).toEqual([])
    })
  )

  it.live("sets and gets many, in order", () =>
    Effect.gen(function* () {
      const { store } = yield* started
      const ids = Array.from({ length: 100 }, (_, i) => i)
      yield* store.setMany(
        ids.map((id) => [new User({ id }), id % 3 === 0 ? Exit.fail(`no ${id}`) : found(id)] as const)
      )
      const got = yield* store.getMany([...ids.toReversed(), 1_000, 1].map((id) => new User({ id })))
      expect(got).toEqual([
        ...ids.toReversed().map((id) => (id % 3 === 0 ? Exit.fail(`no ${id}`) : found(id))),
        undefined,
        found(1)
      ])
      expect(yield* store.getMany<Success, Failure>([])).toEqual([])
      yield* store.setMany<Success, Failure>([])
    })
  )

  it.live("clears what is its own, whatever its name", () =>
    Effect.gen(function* () {
      const { connector } = yield* start
      const stores = yield* Effect.forEach(["a", "a:b", "a*", "[ab]", "%3A"], (id) => open(connector, id))
      const key = new User({ id: 1 })
      for (const [i] of stores.entries()) {
        yield* Effect.forEach(stores, (store, id) => store.set(key, found(id)))
        yield* stores[i]?.clear ?? Effect.void
        const left = yield* Effect.forEach(stores, (store) => store.get(key))
        expect(left).toEqual(stores.map((_, id) => (id === i ? undefined : found(id))))
        yield* stores[i]?.clear ?? Effect.void
      }
    })
  )

  it.live("has what does not decode fail, and leaves it out of many", () =>
    Effect.gen(function* () {
      const { node, store } = yield* started
      yield* store.set(new User({ id: 2 }), found(2))
      yield* node.admin("SET", "users:user:1", JSON.stringify({ no: "exit" }))
      yield* node.admin("SET", "users:user:3", "no JSON")
      yield* node.admin("SET", "users:user:4", Buffer.from("fffe", "hex"))
      expect((yield* Effect.flip(store.get(new User({ id: 1 }))))._tag).toBe("SchemaError")
      expect((yield* Effect.flip(store.get(new User({ id: 3 }))))._tag).toBe("PersistenceError")
      expect((yield* Effect.flip(store.get(new User({ id: 4 }))))._tag).toBe("PersistenceError")
      const many = yield* store.getMany([1, 2, 3, 4].map((id) => new User({ id })))
      expect(many).toEqual([undefined, found(2), undefined, undefined])
      yield* until("it is removed", node.admin("EXISTS", "users:user:1"), (exists) => exists === 0)
    })
  )

  it.live("writes nothing to a node that is foreign by now", () =>
    Effect.gen(function* () {
      const { connector, node, store } = yield* started
      yield* store.setMany([[new User({ id: 1 }), found(1)]])
      const fence = yield* swap(node, connector)
      const key = new User({ id: 1 })
      const attempts: ReadonlyArray<
        Effect.Effect<unknown, Persistence.PersistenceError | Schema.SchemaError>
      > = [
        store.get(key),
        store.getMany([key]),
        store.set(key, found(1)),
        store.setMany([[key, found(1)]]),
        store.remove(key),
        store.clear
      ]
      for (const attempt of attempts) {
        const error = yield* Effect.flip(attempt)
        if (error._tag !== "PersistenceError") return expect.unreachable(error._tag)
        expect(error.cause).toBe(fence)
      }
      yield* expectUntouched(node)
    })
  )
})

describe("PersistedCache", () => {
  const open = Effect.fnUntraced(function* (
    connector: Service,
    lookup: (key: User) => Effect.Effect<ReturnType<typeof user>, string>
  ) {
    const context = yield* over(connector, Persistence.layerRedis)
    return yield* Effect.provideContext(
      PersistedCache.make(lookup, {
        storeId: "cache",
        timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : "1 hour")
      }),
      context
    )
  })
  const counted = () => {
    const seen: Array<number> = []
    const lookup = ({ id }: User) =>
      Effect.suspend(() => {
        seen.push(id)
        return id < 0 ? Effect.fail(`no ${id}`) : Effect.succeed(user(id))
      })
    return { seen, lookup }
  }

  it.live("looks up once, for all who share the node", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start
      const { lookup, seen } = counted()
      const cache = yield* open(connector, lookup)
      expect(yield* cache.get(new User({ id: 1 }))).toEqual(user(1))
      expect(yield* cache.get(new User({ id: 1 }))).toEqual(user(1))
      const other = yield* open(yield* connect(node), lookup)
      expect(yield* other.get(new User({ id: 1 }))).toEqual(user(1))
      expect(seen).toEqual([1])
      expect(yield* node.admin("PTTL", "cache:user:1")).toBe(-1)
    })
  )

  it.live("keeps failures too, for their own time", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start
      const { lookup, seen } = counted()
      const cache = yield* open(connector, lookup)
      expect(yield* Effect.flip(cache.get(new User({ id: -1 })))).toBe("no -1")
      const other = yield* open(connector, lookup)
      expect(yield* Effect.flip(other.get(new User({ id: -1 })))).toBe("no -1")
      expect(seen).toEqual([-1])
      expect(yield* node.admin("PTTL", "cache:user:-1")).not.toBe(-1)
    })
  )

  it.live("looks up again what was invalidated, or does not decode", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start
      const { lookup, seen } = counted()
      const cache = yield* open(connector, lookup)
      yield* cache.get(new User({ id: 1 }))
      yield* cache.invalidate(new User({ id: 1 }))
      expect(yield* node.admin("EXISTS", "cache:user:1")).toBe(0)
      expect(yield* cache.get(new User({ id: 1 }))).toEqual(user(1))
      yield* node.admin("SET", "cache:user:2", JSON.stringify({ no: "exit" }))
      expect(yield* cache.get(new User({ id: 2 }))).toEqual(user(2))
      expect(seen).toEqual([1, 1, 2])
    })
  )

  it.live("on a node that is foreign by now looks nothing up, and writes nothing", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start
      const { lookup, seen } = counted()
      const cache = yield* open(connector, lookup)
      const fence = yield* swap(node, connector)
      const error = yield* Effect.flip(cache.get(new User({ id: 1 })))
      expect(error).toBeInstanceOf(Persistence.PersistenceError)
      expect((error as Persistence.PersistenceError).cause).toBe(fence)
      expect((yield* Effect.flip(cache.invalidate(new User({ id: 1 })))).cause).toBe(fence)
      expect(seen).toEqual([])
      yield* expectUntouched(node)
    })
  )
})
