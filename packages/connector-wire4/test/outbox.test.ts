import { type Command, type Connector, type Status, VERSION_KEY, WIRE_6 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope, Stream } from "effect"
import { ConnectorWire4, type Options } from "../src/index.ts"

type Node = TestNode["Service"]
type Service = Connector["Service"]

const connect = (node: Node, options: Options = {}) =>
  ConnectorWire4.make({ host: node.host, port: node.port, ...options })

/** While it lasts, a connection waits from its first write on; what it was sent runs when it is over. */
const stall = (node: Node) => node.admin("CLIENT", "PAUSE", 60_000, "WRITE")
const goOn = (node: Node) => node.admin("CLIENT", "UNPAUSE")

const pendingIs = (connector: Service, count: number) =>
  until(`${count} calls wait`, connector.stats, ({ pending }) => pending === count)

const reconnected = (connector: Service, times: number) =>
  until(`${times} reconnects`, connector.stats, ({ reconnects }) => reconnects === times)

const cut = (node: Node) => node.admin("CLIENT", "KILL", "TYPE", "NORMAL", "SKIPME", "YES")

const increment = (key: string): Command => ["INCR", key]

describe("the pending limit", () => {
  it.live("refuses what is beyond it, says how many wait, and sends nothing of it", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node, { pendingLimit: 3 })
      yield* stall(node)
      const waiting = yield* Effect.forkChild(
        Effect.all(
          [connector.command(increment("a")), connector.pipeline([increment("a"), increment("a")])],
          {
            concurrency: "unbounded"
          }
        )
      )
      yield* pendingIs(connector, 3)
      for (const call of [
        connector.command(increment("b")),
        connector.pipeline([increment("b")]),
        connector.transaction([increment("b")])
      ]) {
        expect(yield* Effect.flip(call)).toMatchObject({ _tag: "Overloaded", pending: 3, limit: 3 })
      }
      expect(yield* connector.stats).toMatchObject({
        commands: 3,
        pipelines: 1,
        transactions: 0,
        overloads: 3,
        pending: 3,
        replies: 0
      })
      yield* goOn(node)
      expect(yield* Fiber.join(waiting)).toEqual([1, [2, 3]])
      expect(yield* connector.stats).toMatchObject({ pending: 0, replies: 3 })
      expect(yield* connector.command(increment("a"))).toBe(4)
      expect(yield* node.admin("EXISTS", "b")).toBe(0)
    })
  )

  it.live("counts each command of a pipeline, and lets the pipeline in whole or not at all", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node, { pendingLimit: 3 })
      const four = Array.from({ length: 4 }, () => increment("a"))
      expect(yield* Effect.flip(connector.pipeline(four))).toMatchObject({ _tag: "Overloaded", pending: 0 })
      expect(yield* Effect.flip(connector.transaction(four))).toMatchObject({
        _tag: "Overloaded",
        pending: 0
      })
      expect(yield* connector.pipeline(four.slice(1))).toEqual([1, 2, 3])
    })
  )

  it.live("holds through thousands of callers", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node, { pendingLimit: 100 })
      const results = yield* Effect.forEach(
        Array.from({ length: 5_000 }),
        () => Effect.result(connector.command(increment("a"))),
        { concurrency: "unbounded" }
      )
      const served = results.filter(({ _tag }) => _tag === "Success").length
      const { commands, overloads, pending } = yield* connector.stats
      expect(served).toBeGreaterThanOrEqual(100)
      expect(commands).toBe(served)
      expect(overloads).toBe(5_000 - served)
      expect(pending).toBe(0)
      expect(yield* node.admin("GET", "a")).toBe(String(served))
    })
  )

  it.live("is not used up by calls that nobody waits for any more", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node, { pendingLimit: 2, commandTimeout: 200 })
      yield* stall(node)
      for (let i = 0; i < 5; i++) {
        expect(yield* Effect.flip(connector.command(increment("a")))).toMatchObject({
          _tag: "CommandTimeout"
        })
        const left = yield* Effect.forkChild(connector.command(increment("a")))
        yield* pendingIs(connector, 1)
        yield* Fiber.interrupt(left)
      }
      expect(yield* connector.stats).toMatchObject({ pending: 0, overloads: 0, reconnects: 0 })
      yield* goOn(node)
      // Eight were sent; the two that came when so many were on their way waited here, and never are.
      expect(yield* connector.command(increment("a"))).toBe(9)
      expect((yield* connector.stats).reconnects).toBe(0)
    })
  )
})

describe("the command time-out", () => {
  it.live("fails the calls that it befell, and leaves others alone", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node, { commandTimeout: 400 })
      yield* stall(node)
      const early = yield* Effect.forkChild(
        Effect.all(
          [
            Effect.flip(connector.command(increment("a"))),
            Effect.flip(connector.pipeline([increment("a"), ["GET", "a"]])),
            Effect.flip(connector.transaction([increment("a")]))
          ],
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.sleep(250)
      const late = yield* Effect.forkChild(connector.command(increment("a")))
      for (const error of yield* Fiber.join(early)) {
        expect(error).toMatchObject({
          _tag: "CommandTimeout",
          command: "INCR",
          milliseconds: 400,
          outcome: "unknown"
        })
      }
      yield* goOn(node)
      // Those that timed out were executed all the same, and before the one that did not.
      expect(yield* Fiber.join(late)).toBe(4)
      expect(yield* connector.command(increment("a"))).toBe(5)
      expect(yield* connector.stats).toMatchObject({ pending: 0, replies: 2, reconnects: 0 })
    })
  )
})

describe("an interrupted call", () => {
  it.live("frees its slot, and its reply goes to nobody", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node)
      yield* stall(node)
      const calls = yield* Effect.forEach(
        [
          connector.command(increment("a")),
          connector.pipeline([increment("a"), increment("a")]),
          connector.transaction([increment("a")])
        ],
        (call: Effect.Effect<unknown, unknown>) => Effect.forkChild(call)
      )
      yield* pendingIs(connector, 4)
      yield* Fiber.interruptAll(calls)
      expect((yield* connector.stats).pending).toBe(0)
      const next = yield* Effect.forkChild(
        connector.pipeline([
          ["GET", "a"],
          ["ECHO", "mine"]
        ])
      )
      yield* pendingIs(connector, 2)
      yield* goOn(node)
      expect(yield* Fiber.join(next)).toEqual(["4", "mine"])
      expect(yield* connector.stats).toMatchObject({ pending: 0, replies: 2 })
    })
  )

  it.live("that was not yet sent never is", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node)
      yield* node.admin("CONFIG", "RESETSTAT")
      // Made and interrupted within one tick, at the end of which the others go out.
      const others = yield* Effect.forkChild(
        Effect.suspend(() => {
          const made = Effect.runFork(connector.command(increment("a")))
          const pair = Effect.runFork(connector.pipeline([increment("a"), increment("a")]))
          const other = connector.command(increment("b"))
          made.interruptUnsafe()
          pair.interruptUnsafe()
          return other
        })
      )
      expect(yield* Fiber.join(others)).toBe(1)
      expect(yield* node.executed).toMatchObject({ incr: 1 })
      expect(yield* node.admin("EXISTS", "a")).toBe(0)
      expect((yield* connector.stats).pending).toBe(0)
    })
  )
})

describe("the order of calls", () => {
  it.live("is that in which they were made, across commands, pipelines and transactions", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node)
      const push = (value: number): Command => ["RPUSH", "list", value]
      const pushes: Array<Effect.Effect<unknown, unknown>> = []
      let next = 0
      for (let round = 0; round < 700; round++) {
        pushes.push(connector.command(push(next++)))
        pushes.push(connector.pipeline([push(next++), push(next++)]))
        if (round % 7 === 0) pushes.push(connector.transaction([push(next++), push(next++)]))
      }
      yield* Effect.all(pushes, { concurrency: "unbounded" })
      expect(yield* node.admin("LRANGE", "list", 0, -1)).toEqual(
        Array.from({ length: next }, (_, value) => String(value))
      )
    })
  )

  it.live("is kept across ticks, for more batches at once than the driver keeps in order", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node)
      const calls: Array<Fiber.Fiber<unknown, unknown>> = []
      yield* stall(node)
      for (let value = 0; value < 500; value++) {
        const push: Command = ["RPUSH", "list", value]
        calls.push(
          Effect.runFork<unknown, unknown>(
            value % 10 === 0 ? connector.transaction([push]) : connector.command(push)
          )
        )
        yield* Effect.yieldNow
      }
      yield* goOn(node)
      for (const call of calls) yield* Fiber.join(call)
      expect(yield* node.admin("LRANGE", "list", 0, -1)).toEqual(calls.map((_, value) => String(value)))
    })
  )

  it.live("lets what has to wait go out together, and what nobody waits for not at all", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node)
      yield* stall(node)
      const calls: Array<Fiber.Fiber<unknown, unknown>> = []
      for (let i = 0; i < 200; i++) {
        calls.push(Effect.runFork<unknown, unknown>(connector.command(increment(i < 100 ? "sent" : "left"))))
        yield* Effect.yieldNow
      }
      for (const call of calls.slice(100)) yield* Fiber.interrupt(call)
      expect(yield* connector.stats).toMatchObject({ commands: 200, pending: 100 })
      yield* goOn(node)
      for (const call of calls.slice(0, 100)) yield* Fiber.join(call)
      expect(yield* node.admin("GET", "sent")).toBe("100")
      expect(yield* node.admin("EXISTS", "left")).toBe(0)
      expect((yield* connector.stats).pending).toBe(0)
    })
  )

  it.live("tells those that had to wait, when the connection is lost, that they were not sent", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node)
      yield* stall(node)
      const calls: Array<Fiber.Fiber<unknown, unknown>> = []
      for (let i = 0; i < 200; i++) {
        calls.push(Effect.runFork<unknown, unknown>(Effect.flip(connector.command(increment("a")))))
        yield* Effect.yieldNow
      }
      yield* node.kill
      const outcomes: Array<unknown> = []
      for (const call of calls) {
        const error = yield* Fiber.join(call)
        expect(error).toMatchObject({ _tag: "Disconnected" })
        outcomes.push((error as { readonly outcome: string }).outcome)
      }
      const sent = outcomes.indexOf("not-sent")
      expect(sent).toBeGreaterThan(0)
      expect(sent).toBeLessThanOrEqual(50)
      expect(new Set(outcomes.slice(0, sent))).toEqual(new Set(["unknown"]))
      expect(new Set(outcomes.slice(sent))).toEqual(new Set(["not-sent"]))
    })
  )

  it.live("times those out as well that had to wait", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node, { commandTimeout: 300 })
      yield* stall(node)
      const calls: Array<Fiber.Fiber<unknown, unknown>> = []
      for (let i = 0; i < 100; i++) {
        calls.push(Effect.runFork<unknown, unknown>(Effect.flip(connector.command(increment("a")))))
        yield* Effect.yieldNow
      }
      for (const call of calls) expect(yield* Fiber.join(call)).toMatchObject({ _tag: "CommandTimeout" })
      expect((yield* connector.stats).pending).toBe(0)
      yield* goOn(node)
      expect(yield* connector.command(increment("b"))).toBe(1)
      expect((yield* connector.stats).reconnects).toBe(0)
    })
  )

  it.live("gives every caller its own reply", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node)
      const own = (i: number): Effect.Effect<unknown, unknown> =>
        i % 3 === 0
          ? connector.command(["ECHO", i])
          : i % 3 === 1
            ? Effect.map(connector.pipeline([["ECHO", i], ["NOSUCH"], ["ECHO", i]]), ([first, , last]) =>
                first === last ? first : null
              )
            : Effect.map(connector.transaction([["ECHO", i]]), ([reply]) => reply)
      const replies = yield* Effect.forEach(Array.from({ length: 3_000 }), (_, i) => own(i), {
        concurrency: "unbounded"
      })
      expect(replies).toEqual(replies.map((_, i) => String(i)))
    })
  )

  it.live("of nothing is nothing", () =>
    Effect.gen(function* () {
      const connector = yield* connect(yield* TestNode.make())
      expect(yield* connector.pipeline([])).toEqual([])
      expect(yield* connector.transaction([])).toEqual([])
    })
  )
})

/** One of each kind of call. */
const kinds = (connector: Service): ReadonlyArray<Effect.Effect<unknown, unknown>> => [
  connector.command(increment("a")),
  connector.pipeline([increment("a"), increment("a")]),
  connector.transaction([increment("a")])
]

describe("a lost connection", () => {
  it.live("fails what was in flight as unknown, and what comes while it is down as not sent", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node)
      yield* stall(node)
      const waiting = yield* Effect.forkChild(
        Effect.all(kinds(connector).map(Effect.flip), { concurrency: "unbounded" })
      )
      yield* pendingIs(connector, 4)
      yield* node.kill
      for (const error of yield* Fiber.join(waiting)) {
        expect(error).toMatchObject({ _tag: "Disconnected", outcome: "unknown" })
      }
      for (const call of kinds(connector)) {
        expect(yield* Effect.flip(call)).toMatchObject({ _tag: "Disconnected", outcome: "not-sent" })
      }
      expect(yield* connector.stats).toMatchObject({ commands: 4, pending: 0, replies: 0 })
      yield* node.restart
      yield* reconnected(connector, 1)
      expect(yield* connector.command(increment("a"))).toBe(1)
    })
  )
})

/** A connector in a scope of its own, so that a test can close it. */
const closable = Effect.fnUntraced(function* (node: Node) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const connector = yield* Scope.provide(connect(node), scope)
  return { connector, close: Scope.close(scope, Exit.void) }
})

describe("a closed connector", () => {
  it.live("answers every waiter, every later call and `stopped` with Closed, and disconnects", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { close, connector } = yield* closable(node)
      const stopped = yield* Effect.forkChild(Effect.flip(connector.stopped))
      yield* stall(node)
      const waiting = yield* Effect.forkChild(
        Effect.all(kinds(connector).map(Effect.flip), { concurrency: "unbounded" })
      )
      yield* pendingIs(connector, 4)
      yield* close
      for (const error of yield* Fiber.join(waiting)) expect(error).toMatchObject({ _tag: "Closed" })
      for (const call of kinds(connector)) {
        expect(yield* Effect.flip(call)).toMatchObject({ _tag: "Closed" })
      }
      expect(yield* Fiber.join(stopped)).toMatchObject({ _tag: "Closed" })
      expect(yield* connector.status).toMatchObject({ _tag: "Closed" })
      expect(yield* connector.stats).toMatchObject({ pending: 0 })
      yield* goOn(node)
      yield* until("it has disconnected", node.connections, (open) => open === 0)
    })
  )

  it.live("is closed while it is down as well, and dials no more", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { close, connector } = yield* closable(node)
      yield* node.kill
      yield* until("it is down", connector.status, ({ _tag }) => _tag === "Down")
      yield* close
      expect(yield* Effect.flip(connector.stopped)).toMatchObject({ _tag: "Closed" })
      expect(yield* Effect.flip(connector.command(["PING"]))).toMatchObject({ _tag: "Closed" })
      yield* node.restart
      yield* Effect.sleep("3 seconds")
      expect(yield* node.connectionsReceived).toBe(0)
      expect(yield* connector.status).toMatchObject({ _tag: "Closed" })
    })
  )

  it.live("that was stopped before stays so", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { close, connector } = yield* closable(node)
      yield* node.admin("SET", VERSION_KEY, WIRE_6)
      yield* cut(node)
      const error = yield* Effect.flip(connector.stopped)
      expect(error).toMatchObject({ _tag: "VersionFence", got: WIRE_6 })
      yield* close
      expect(yield* Effect.flip(connector.stopped)).toBe(error)
      expect(yield* Effect.flip(connector.command(["PING"]))).toBe(error)
      expect(yield* connector.status).toMatchObject({ _tag: "Stopped" })
    })
  )
})

const tags = (states: Iterable<Status>) => Array.from(states, ({ _tag }) => _tag)

/** Runs of the same state, since attempts may be several. */
const path = (states: Iterable<Status>) =>
  tags(states).filter((tag, i, all) => !(tag === all[i - 2] && all[i - 1] === "Connecting" && tag === "Down"))

const watched = Effect.fnUntraced(function* (connector: Service) {
  const seen: Array<Status> = []
  const fiber = yield* Effect.forkChild(
    Stream.runForEach(connector.changes, (status) => Effect.sync(() => seen.push(status)))
  )
  yield* until(
    "the first state is seen",
    Effect.sync(() => seen.length),
    (length) => length > 0
  )
  return { seen, end: Fiber.join(fiber) }
})

describe("the changes of a connector", () => {
  it.live("come in order, and end with the connector", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { close, connector } = yield* closable(node)
      const { end, seen } = yield* watched(connector)
      yield* cut(node)
      yield* reconnected(connector, 1)
      yield* until(
        "it serves",
        Effect.sync(() => tags(seen).at(-1)),
        (tag) => tag === "Serving"
      )
      yield* node.kill
      yield* until(
        "it is down",
        Effect.sync(() => tags(seen).at(-1)),
        (tag) => tag === "Down"
      )
      yield* close
      yield* end
      expect(tags(seen).slice(0, 5)).toEqual(["Serving", "Down", "Connecting", "Serving", "Down"])
      expect(tags(seen).at(-1)).toBe("Closed")
      expect(seen[1]).toMatchObject({ error: { _tag: "Disconnected", outcome: "unknown" } })
      expect(seen[2]).toMatchObject({ attempt: 1 })
      const failed = seen.filter((status) => status._tag === "Down" && status.error._tag === "ConnectFailed")
      for (const status of failed)
        expect(status).toMatchObject({ error: { reason: expect.stringMatching(/^(refused|closed)$/) } })
      expect(path(seen).filter((tag) => tag === "Closed")).toEqual(["Closed"])
      expect(tags(yield* Stream.runCollect(connector.changes))).toEqual(["Closed"])
    })
  )

  it.live("count the attempts, and end with a fatal refusal", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node, { backoff: { base: 20, max: 50 } })
      const { end, seen } = yield* watched(connector)
      yield* node.kill
      yield* until(
        // Where each wait doubled the one before without a bound, that would take most of a minute.
        "it tried twelve times",
        Effect.sync(() => seen.length),
        () => seen.some((status) => status._tag === "Connecting" && status.attempt === 12)
      )
      yield* node.replace({ seed: [["SET", VERSION_KEY, WIRE_6]] })
      yield* end
      const attempts = seen.flatMap((status) => (status._tag === "Connecting" ? [status.attempt] : []))
      expect(attempts).toEqual(attempts.map((_, i) => i + 1))
      expect(seen.at(-1)).toMatchObject({ _tag: "Stopped", error: { _tag: "VersionFence", got: WIRE_6 } })
      const received = yield* node.connectionsReceived
      yield* Effect.sleep("2 seconds")
      expect(yield* node.connectionsReceived).toBe(received)
    })
  )
})

describe("the counters", () => {
  it.live("tell what was done", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed: [["SET", "string", "a"]] })
      const connector = yield* connect(node)
      expect(yield* connector.stats).toEqual({
        commands: 0,
        pipelines: 0,
        transactions: 0,
        evalshaCalls: 0,
        scriptLoads: 0,
        replies: 0,
        wireErrors: 0,
        overloads: 0,
        reconnects: 0,
        pending: 0
      })
      const wrong: Command = ["LPUSH", "string", "a"]
      yield* connector.command(["PING"])
      yield* Effect.flip(connector.command(wrong))
      yield* connector.pipeline([wrong, ["PING"], wrong])
      yield* connector.transaction([["PING"], wrong])
      yield* Effect.flip(connector.command(["SELECT", 1]))
      yield* cut(node)
      yield* reconnected(connector, 1)
      expect(yield* connector.stats).toMatchObject({
        commands: 7,
        pipelines: 1,
        transactions: 1,
        replies: 7,
        wireErrors: 4,
        overloads: 0,
        reconnects: 1,
        pending: 0
      })
    })
  )
})
