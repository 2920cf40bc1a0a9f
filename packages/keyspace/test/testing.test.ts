import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, type Layer, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import {
  AuthRefused,
  BootRefused,
  Closed,
  CommandRefused,
  CommandTimeout,
  ConnectFailed,
  Connector,
  Disconnected,
  type FatalError,
  InexactInteger,
  JOB_CORE,
  Overloaded,
  ServerError,
  script,
  transition,
  VERSION_KEY,
  WIRE_4,
  WIRE_6
} from "../src/index.ts"
import { MemoryConnector, MemoryNode, type NodeOptions, type Planned } from "../src/testing.ts"

type Node = MemoryNode["Service"]

/** What makes a node refuse, and how the refusal reads. */
interface Refusing {
  readonly name: string
  readonly wires: ReadonlyArray<4 | 6>
  readonly refuse: (node: Node) => Effect.Effect<void>
  readonly error: object
}

const both = [4, 6] as const

const fatal: ReadonlyArray<Refusing> = [
  {
    name: "VersionFence by another value",
    wires: both,
    refuse: (node) => node.setVersion("echomq:9.9.9\n"),
    error: { _tag: "VersionFence", fatal: "version_fence", got: "echomq:9.9.9\\n" }
  },
  {
    name: "VersionFence by bytes",
    wires: both,
    refuse: (node) => node.setVersion(Uint8Array.of(0xff, 0)),
    error: { _tag: "VersionFence", got: "\\xff\\x00", bytes: Uint8Array.of(0xff, 0) }
  },
  ...(["list", "hash", "set", "zset"] as const).map(
    (type): Refusing => ({
      name: `VersionFence by a ${type}`,
      wires: both,
      refuse: (node) => node.setVersion({ type }),
      error: { _tag: "VersionFence", error: { code: "WRONGTYPE" } }
    })
  ),
  {
    name: "VersionFence by an absent key",
    wires: [6],
    refuse: (node) => node.setVersion(null),
    error: { _tag: "VersionFence", got: null }
  },
  {
    name: "AuthRefused",
    wires: both,
    refuse: (node) => node.refuse(new AuthRefused({ message: "WRONGPASS invalid" })),
    error: { _tag: "AuthRefused", fatal: "auth_refused", message: "WRONGPASS invalid" }
  },
  {
    name: "AuthRefused by NOAUTH",
    wires: both,
    refuse: (node) => node.refuse(ServerError.of("NOAUTH Authentication required.")),
    error: { _tag: "AuthRefused", message: "NOAUTH Authentication required." }
  },
  {
    name: "BootRefused",
    wires: both,
    refuse: (node) =>
      node.refuse(new BootRefused({ step: "select", message: "ERR DB index is out of range" })),
    error: { _tag: "BootRefused", fatal: "boot_refused", step: "select" }
  },
  {
    name: "EmqAbsent",
    wires: [6],
    refuse: (node) => node.setModule(null),
    error: { _tag: "EmqAbsent", fatal: "emq_absent", message: expect.stringContaining("'EMQ.VERSION'") }
  },
  {
    name: "EmqVersion",
    wires: [6],
    refuse: (node) => node.setModule(ServerError.of("NOPERM no permission")),
    error: { _tag: "EmqVersion", fatal: "emq_version", message: "NOPERM no permission" }
  },
  {
    name: "ClientRule",
    wires: [6],
    refuse: (node) =>
      node.setModule({
        wire: "echomq:7.0.0",
        major: 1,
        capabilities: JOB_CORE.filter((it) => it !== "claim")
      }),
    error: {
      _tag: "ClientRule",
      fatal: "r14",
      wire: { expected: WIRE_6, got: "echomq:7.0.0" },
      major: { expected: 0, got: 1 },
      missing: ["claim"]
    }
  }
]

const passing: ReadonlyArray<Refusing> = [
  {
    name: "ConnectFailed as it is given",
    wires: both,
    refuse: (node) =>
      node.refuse(new ConnectFailed({ address: "elsewhere:1", reason: "unknown-host", detail: "" })),
    error: { _tag: "ConnectFailed", address: "elsewhere:1", reason: "unknown-host" }
  },
  {
    name: "ConnectFailed, not ready",
    wires: both,
    refuse: (node) => node.refuse(ServerError.of("LOADING soon")),
    error: { _tag: "ConnectFailed", reason: "not-ready", detail: "LOADING soon" }
  },
  {
    name: "ConnectFailed, refused",
    wires: both,
    refuse: (node) => node.kill,
    error: { _tag: "ConnectFailed", reason: "refused" }
  },
  {
    name: "ConnectFailed, timeout",
    wires: both,
    refuse: (node) => node.pause,
    error: { _tag: "ConnectFailed", reason: "timeout" }
  }
]

const at = (refusing: ReadonlyArray<Refusing>) =>
  refusing.flatMap((row) => row.wires.map((wire) => [`${row.name}, wire ${wire}`, wire, row] as const))

const nodeOf = (wire: 4 | 6) => MemoryNode.make(wire === 6 ? { version: WIRE_6 } : {})

const dump = (node: Node) => Effect.result(node.command("GET", VERSION_KEY))

describe("every fatal error, without a server", () => {
  it.effect.each(at(fatal))("at the start: %s", ([, wire, { error, refuse }]) =>
    Effect.gen(function* () {
      const node = yield* nodeOf(wire)
      yield* refuse(node)
      const before = yield* dump(node)
      expect(yield* Effect.flip(MemoryConnector.make(node, { wire }))).toMatchObject(error)
      expect(yield* dump(node)).toEqual(before)
    })
  )

  it.effect.each(at(fatal))("on a reconnect: %s", ([, wire, { error, refuse }]) =>
    Effect.gen(function* () {
      const node = yield* nodeOf(wire)
      const connector = yield* MemoryConnector.make(node, { wire })
      yield* refuse(node)
      expect(yield* connector.command(["PING"])).toBe("PONG")
      yield* node.cut
      yield* TestClock.adjust("100 millis")
      expect(yield* Effect.flip(connector.stopped)).toMatchObject(error)
      expect(yield* Effect.flip(connector.command(["PING"]))).toMatchObject(error)
      expect(yield* connector.status).toMatchObject({ _tag: "Stopped", error })
      expect(yield* Effect.flip(connector.lane)).toMatchObject(error)
      expect(yield* Effect.flip(Stream.runDrain(connector.subscribe(["c"])))).toMatchObject(error)
    })
  )

  it.effect.each(at(passing))(
    "what is not fatal fails a start, and is waited out later: %s",
    ([, wire, row]) =>
      Effect.gen(function* () {
        const node = yield* nodeOf(wire)
        const connector = yield* MemoryConnector.make(node, { wire })
        yield* row.refuse(node)
        const start = yield* Effect.forkScoped(Effect.flip(MemoryConnector.make(node, { wire })))
        yield* TestClock.adjust("5 seconds")
        expect(yield* Fiber.join(start)).toMatchObject(row.error)
        yield* node.cut
        yield* TestClock.adjust("1 minute")
        const status = yield* connector.status
        expect(["Down", "Connecting"]).toContain(status._tag)
        if (status._tag === "Down") expect(status.error).toMatchObject(row.error)
        yield* node.refuse(null)
        yield* node.restart
        yield* TestClock.adjust("5 seconds")
        expect(yield* connector.command(["PING"])).toBe("PONG")
        expect(yield* connector.stats).toMatchObject({ reconnects: 1 })
      })
  )
})

describe("every call error, without a server", () => {
  const unsent: ReadonlyArray<Exclude<Planned, ServerError | InexactInteger>> = [
    new Disconnected({ outcome: "unknown" }),
    new Disconnected({ outcome: "not-sent" }),
    new CommandRefused({ command: "SET", why: "a test", instead: "nothing" }),
    new Overloaded({ pending: 1, limit: 1 }),
    new CommandTimeout({ command: "SET", milliseconds: 1, outcome: "unknown" }),
    new Closed()
  ]

  for (const wire of both) {
    it.effect(`wire ${wire}: one that has no reply fails whatever call is next, and only that`, () =>
      Effect.gen(function* () {
        const node = yield* nodeOf(wire)
        const connector = yield* MemoryConnector.make(node, { wire })
        const lane = yield* connector.lane
        for (const error of unsent) {
          for (const call of [
            connector.command(["SET", "a", 1]),
            connector.pipeline([["SET", "a", 1]]),
            connector.transaction([["SET", "a", 1]]),
            connector.eval(script("return 1"), [], []),
            lane.command(["SET", "a", 1])
          ]) {
            yield* node.failNext(error)
            expect(yield* Effect.flip(call as Effect.Effect<unknown, unknown>)).toBe(error)
            expect(yield* connector.command(["EXISTS", "a"])).toBe(0)
          }
        }
        expect(yield* lane.command(["PING"])).toBe("PONG")
        expect(yield* connector.stats).toMatchObject({ reconnects: 0, pending: 0 })
      })
    )

    it.effect(`wire ${wire}: one that is a reply takes its place`, () =>
      Effect.gen(function* () {
        const node = yield* nodeOf(wire)
        const connector = yield* MemoryConnector.make(node, { wire })
        const lane = yield* connector.lane
        const oom = ServerError.of("OOM command not allowed")
        const inexact = new InexactInteger({ command: "INCR", near: 2 ** 60 })
        for (const error of [oom, inexact]) {
          for (const call of [connector.command(["INCR", "n"]), lane.command(["INCR", "n"])]) {
            yield* node.failNext(error)
            expect(yield* Effect.flip(call)).toBe(error)
          }
          yield* node.failNext(error)
          expect(
            yield* connector.pipeline([
              ["INCR", "n"],
              ["ECHO", "beside"]
            ])
          ).toEqual([error, "beside"])
        }
        // An integer that is too large was counted all the same.
        expect(yield* connector.command(["GET", "n"])).toBe("3")
        yield* node.failNext(oom)
        expect(yield* Effect.flip(connector.transaction([["INCR", "n"], ["PING"]]))).toBe(oom)
        yield* node.failNext(inexact)
        expect(yield* connector.transaction([["INCR", "n"], ["PING"]])).toEqual([inexact, "PONG"])
        expect(yield* connector.command(["GET", "n"])).toBe("4")
      })
    )

    it.effect(
      `wire ${wire}: READONLY has the connection dialled again, and the command is not replayed`,
      () =>
        Effect.gen(function* () {
          const node = yield* nodeOf(wire)
          const connector = yield* MemoryConnector.make(node, { wire })
          yield* node.failNext(ServerError.of("READONLY You can't write against a read only replica."))
          expect(yield* Effect.flip(connector.command(["SET", "a", 1]))).toMatchObject({ code: "READONLY" })
          expect(yield* Effect.flip(connector.command(["SET", "a", 1]))).toMatchObject({
            outcome: "not-sent"
          })
          yield* TestClock.adjust("100 millis")
          expect(yield* connector.command(["EXISTS", "a"])).toBe(0)
          expect(yield* connector.stats).toMatchObject({ reconnects: 1, wireErrors: 1 })
        })
    )
  }

  it.effect("EMQWIRE stops a connector on wire 6, and not one on wire 4", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf(6)
      const connector = yield* MemoryConnector.make(node, { wire: 6 })
      const lane = yield* connector.lane
      const enqueue = ["EMQ.ENQUEUE", 1, "emq:{q}:pending", "a"]
      yield* node.setVersion(WIRE_4)
      const mismatch = { _tag: "VersionFence", got: WIRE_4, error: { code: "EMQWIRE" } }
      expect(yield* Effect.flip(lane.command(enqueue))).toMatchObject(mismatch)
      expect(yield* connector.status).toMatchObject({ _tag: "Serving" })
      expect(yield* Effect.flip(connector.command(enqueue))).toMatchObject({ code: "EMQWIRE" })
      expect(yield* Effect.flip(connector.stopped)).toMatchObject(mismatch)

      const other = yield* MemoryConnector.make(node, { wire: 4 })
      expect(yield* Effect.flip(other.command(enqueue))).toMatchObject({ code: "EMQWIRE" })
      expect(yield* other.status).toMatchObject({ _tag: "Serving" })
    })
  )

  it.effect("CapabilityAbsent comes of the module, before anything is sent", () =>
    Effect.gen(function* () {
      const publish = transition({
        name: "publish",
        keys: 1,
        args: Schema.Tuple([Schema.String]),
        result: Schema.Int,
        scripted: script("return 0"),
        native: { verb: "EMQ.PUBLISH", capability: "publish" }
      })
      const node = yield* MemoryNode.make({ version: WIRE_6, module: { capabilities: JOB_CORE } })
      const connector = yield* MemoryConnector.make(node, { wire: 6 })
      expect(yield* Effect.flip(connector.run(publish, ["emq:{q}:events"], ["a"]))).toMatchObject({
        _tag: "CapabilityAbsent",
        capability: "publish"
      })
      expect(yield* Effect.flip(connector.command(["EMQ.PUBLISH", 1, "emq:{q}:events"]))).toMatchObject({
        message: expect.stringMatching(/^ERR unknown command 'EMQ.PUBLISH'/)
      })
      yield* node.setModule({})
      yield* node.cut
      yield* TestClock.adjust("100 millis")
      expect(yield* connector.run(publish, ["emq:{q}:events"], ["a"])).toBe(1)
    })
  )
})

describe("time is the test's", () => {
  it.effect("a command time-out is as far away as it says", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf(4)
      const connector = yield* MemoryConnector.make(node)
      yield* node.pause
      const call = yield* Effect.forkScoped(Effect.flip(connector.command(["INCR", "n"])), {
        startImmediately: true
      })
      yield* TestClock.adjust(4_999)
      expect(call.pollUnsafe()).toBe(undefined)
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(call)).toMatchObject({ _tag: "CommandTimeout", milliseconds: 5_000 })
      yield* node.resume
      expect(yield* connector.command(["GET", "n"])).toBe("1")
    })
  )

  it.effect("a node that stays silent is given up, and what waits there fails", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf(4)
      const connector = yield* MemoryConnector.make(node, { commandTimeout: "10 minutes" })
      yield* node.pause
      const call = yield* Effect.forkScoped(Effect.flip(connector.command(["INCR", "n"])), {
        startImmediately: true
      })
      yield* TestClock.adjust("14999 millis")
      expect(yield* connector.status).toMatchObject({ _tag: "Serving" })
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(call)).toMatchObject({ _tag: "Disconnected", outcome: "unknown" })
      expect(yield* connector.status).toMatchObject({ _tag: "Down" })
    })
  )

  it.effect("the backoff doubles up to its bound, and a fenced connection resets it", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf(4)
      const connector = yield* MemoryConnector.make(node)
      const attempts: Array<number> = []
      yield* Effect.forkScoped(
        Stream.runForEach(connector.changes, (status) =>
          Effect.sync(() => status._tag === "Connecting" && attempts.push(status.attempt))
        )
      )
      yield* node.kill
      for (const [pause, attempt] of [100, 100, 200, 400, 800, 1_600, 2_000, 2_000].entries()) {
        yield* TestClock.adjust(attempt - 1)
        expect(attempts.length).toBe(pause)
        yield* TestClock.adjust(1)
        expect(attempts.length).toBe(pause + 1)
      }
      yield* node.restart
      yield* TestClock.adjust("2 seconds")
      expect(yield* connector.command(["PING"])).toBe("PONG")
      yield* node.cut
      yield* TestClock.adjust("100 millis")
      expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 1])
    })
  )

  it.effect("keys expire, and a lane's wait ends", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf(4)
      const connector = yield* MemoryConnector.make(node)
      const lane = yield* connector.lane
      yield* connector.command(["SET", "a", 1, "EX", 10])
      const pop = yield* Effect.forkScoped(lane.command(["BLPOP", "l", 10]), { startImmediately: true })
      yield* TestClock.adjust(9_999)
      expect(yield* connector.pipeline([["EXISTS", "a"], ["PTTL", "a"], ["DBSIZE"]])).toEqual([1, 1, 2])
      expect(pop.pollUnsafe()).toBe(undefined)
      yield* TestClock.adjust(1)
      expect(yield* connector.pipeline([["EXISTS", "a"], ["PTTL", "a"], ["DBSIZE"]])).toEqual([0, -2, 1])
      expect(yield* Fiber.join(pop)).toBe(null)
    })
  )
})

describe("scripts", () => {
  const add = script("return redis.call('INCRBY', KEYS[1], ARGV[1])")

  it.effect("that have no twin fail, and say how they get one", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf(4)
      const connector = yield* MemoryConnector.make(node)
      const error = yield* Effect.flip(connector.eval(add, ["n"], [1]))
      expect(error).toBeInstanceOf(ServerError)
      expect(error.message).toContain("node.script(script, (keys, args, call) => reply)")
      expect(error.message).toContain("return redis.call('INCRBY'")
      yield* node.script(add, ([key = ""], [by = ""], call) => call("INCRBY", key, by))
      expect(yield* connector.eval(add, ["n"], [2])).toBe(2)
      yield* node.replace({ version: WIRE_4 })
      yield* TestClock.adjust("100 millis")
      expect(yield* connector.eval(add, ["n"], [2])).toBe(2)
    })
  )

  it.effect("see errors as values, and reply what Lua could", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf(4)
      const connector = yield* MemoryConnector.make(node)
      const all = script("all")
      yield* node.script(all, (keys, args, call) => [
        ...keys,
        ...args,
        1.9,
        null,
        call("NOPE") instanceof ServerError ? "failed" : "worked",
        call("HSET", "h", "a", Uint8Array.of(0xff)),
        call("HGETALL", "h")
      ])
      expect(yield* connector.eval(all, ["k"], [1, "é"])).toEqual([
        "k",
        "1",
        "é",
        1,
        null,
        "failed",
        1,
        Object.assign(Object.create(null), { a: Uint8Array.of(0xff) })
      ])
      yield* node.script(all, () => {
        throw new Error("a slip")
      })
      expect(yield* Effect.flip(connector.eval(all, [], []))).toMatchObject({
        message: "ERR the script's twin failed: Error: a slip"
      })
    })
  )
})

describe("nodes and layers", () => {
  it.effect("several connectors share a node", () =>
    Effect.gen(function* () {
      const node = yield* MemoryNode
      const connectors = yield* Effect.forEach([1, 2, 3], () => MemoryConnector.make(node))
      yield* Effect.forEach(connectors, (connector) => connector.command(["INCR", "n"]), {
        concurrency: "unbounded"
      })
      expect(yield* node.command("GET", "n")).toBe("3")
      yield* node.replace({ version: WIRE_6 })
      yield* TestClock.adjust("100 millis")
      for (const { stopped } of connectors) {
        expect(yield* Effect.flip(stopped)).toMatchObject({ _tag: "VersionFence", got: WIRE_6 })
      }
      expect(yield* Effect.flip(node.command("NOPE"))).toBeInstanceOf(ServerError)
    }).pipe(Effect.provide(MemoryNode.layer()))
  )

  it.effect("a wire is chosen by configuration, as with the real ones", () =>
    Effect.gen(function* () {
      const wire = Effect.map(Connector, ({ wire }) => wire)
      const live = Connector.layerByWire({
        4: MemoryConnector.layer({ wire: 4 }),
        6: MemoryConnector.layer({ wire: 6 })
      })
      const under = (env: Record<string, string>) =>
        Effect.provide(wire, live).pipe(
          Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))
        )
      expect(yield* under({})).toBe(4)
      expect(yield* under({ EMQ_WIRE: "6" })).toBe(6)
    })
  )

  it.effect("a layer starts from what its node holds", () =>
    Effect.gen(function* () {
      const startOn = (node: NodeOptions) =>
        Effect.flip(
          Effect.provide(Effect.service(Connector), MemoryConnector.layer({ wire: 6, node }))
        ) as Effect.Effect<unknown>
      expect(yield* startOn({ module: null })).toMatchObject({ _tag: "EmqAbsent" })
      expect(yield* startOn({ version: null })).toMatchObject({ _tag: "VersionFence", got: null })
    })
  )

  it("the errors of a layer are those of the real ones", () => {
    expectTypeOf(MemoryConnector.layer()).toEqualTypeOf<
      Layer.Layer<Connector | MemoryNode, ConnectFailed | FatalError>
    >()
    expectTypeOf(MemoryConnector.layerOn()).toEqualTypeOf<
      Layer.Layer<Connector, ConnectFailed | FatalError, MemoryNode>
    >()
  })
})
