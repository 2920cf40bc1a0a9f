import { type Connector, type Status, VERSION_KEY, WIRE_4 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { almostValkey, answering, rawServer } from "@echomq/test-node/rawServer"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope, Stream } from "effect"
import { ConnectorWire4, type Options } from "../src/index.ts"

type Node = TestNode["Service"]
type Service = Connector["Service"]

const seed = [["SET", VERSION_KEY, WIRE_4]]

const connect = ({ host, port }: Pick<Node, "host" | "port">, options: Options = {}) =>
  ConnectorWire4.make({ host, port, backoff: { base: 50, max: 200 }, ...options })

/** Every state from now on. */
const watched = (connector: Service) =>
  Effect.gen(function* () {
    const seen: Array<Status> = []
    yield* Effect.forkScoped(
      Stream.runForEach(connector.changes, (status) => Effect.sync(() => seen.push(status)))
    )
    return seen
  })

const reconnected = (connector: Service, times: number) =>
  until(`${times} reconnects`, connector.stats, ({ reconnects }) => reconnects === times)

const notReady = (seen: ReadonlyArray<Status>, detail: RegExp) =>
  seen.filter(
    (status) =>
      status._tag === "Down" &&
      status.error._tag === "ConnectFailed" &&
      status.error.reason === "not-ready" &&
      detail.test(status.error.detail)
  )

describe("a node that loads", () => {
  it.live("fails a start as not ready, and one that waits serves once it has loaded", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed, loading: 1_500, until: "listening" })
      const error = yield* Effect.flip(Effect.scoped(connect(node)))
      expect(error).toMatchObject({
        _tag: "ConnectFailed",
        reason: "not-ready",
        detail: expect.stringMatching(/^LOADING /)
      })
      expect(error.message).toContain("the server is not ready")
      yield* until("it has loaded", node.admin("INFO", "persistence"), (info) =>
        /^loading:0/m.test(String(info))
      )
      const connector = yield* connect(node)
      expect(yield* connector.command(["SET", "a", "1"])).toBe("OK")
    })
  )

  it.live("is waited for by a connector that comes back to it", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed })
      const connector = yield* connect(node)
      const seen = yield* watched(connector)
      yield* node.replace({ seed, loading: 1_500, until: "listening" })
      expect(yield* Effect.flip(connector.command(["PING"]))).toMatchObject({ _tag: "Disconnected" })
      yield* reconnected(connector, 1)
      expect(yield* connector.command(["SET", "a", "1"])).toBe("OK")
      expect(notReady(seen, /^LOADING /).length).toBeGreaterThan(0)
      expect(new Set(seen.map(({ _tag }) => _tag))).toEqual(new Set(["Serving", "Down", "Connecting"]))
      expect(yield* node.executed).toMatchObject({ get: 1 })
    })
  )
})

describe("a node without a slot for another client", () => {
  const full = (node: Node) =>
    Effect.gen(function* () {
      const [, limit] = (yield* node.admin("CONFIG", "GET", "maxclients")) as [string, string]
      expect(Number(limit)).toBeGreaterThan(1)
      // The fixture's own, and one more.
      yield* node.admin("CONFIG", "SET", "maxclients", 2)
    })

  it.live("fails a start as not ready", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed })
      yield* full(node)
      yield* connect(node)
      expect(yield* Effect.flip(Effect.scoped(connect(node)))).toMatchObject({
        _tag: "ConnectFailed",
        reason: "not-ready",
        detail: "ERR max number of clients reached"
      })
    })
  )

  it.live("is waited for by a connector that comes back to it, until a slot is free", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed })
      const connector = yield* connect(node)
      const seen = yield* watched(connector)
      const scope = yield* Scope.fork(yield* Effect.scope)
      const others = yield* Scope.provide(Effect.all([connect(node), connect(node)]), scope)
      yield* node.admin("CONFIG", "SET", "maxclients", 3)
      const id = yield* connector.command(["CLIENT", "ID"])
      yield* node.admin("CLIENT", "KILL", "ID", Number(id))
      yield* until(
        "it is turned away",
        Effect.sync(() => notReady(seen, /^ERR max number of clients/)),
        ({ length }) => length > 2
      )
      yield* Effect.sleep(500)
      expect(yield* Effect.flip(connector.command(["PING"]))).toMatchObject({ outcome: "not-sent" })
      for (const other of others) expect(yield* other.command(["PING"])).toBe("PONG")
      yield* Scope.close(scope, Exit.void)
      yield* reconnected(connector, 1)
      expect(yield* connector.command(["PING"])).toBe("PONG")
    })
  )
})

describe("a primary that becomes a replica", () => {
  it.live("fails the write with what it said, and is dialled again, fenced", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed })
      const connector = yield* connect(node)
      const seen = yield* watched(connector)
      yield* node.admin("REPLICAOF", node.host, 1)
      yield* node.admin("CONFIG", "RESETSTAT")
      expect(yield* Effect.flip(connector.command(["SET", "a", "1"]))).toMatchObject({
        _tag: "ServerError",
        code: "READONLY",
        message: "READONLY You can't write against a read only replica."
      })
      yield* reconnected(connector, 1)
      expect((yield* node.executed).get).toBe(1)
      expect(seen.map(({ _tag }) => _tag)).toEqual(["Serving", "Down", "Connecting", "Serving"])
      // It reads from what it reaches, and the write was not replayed.
      expect(yield* connector.command(["GET", VERSION_KEY])).toBe(WIRE_4)
      yield* node.admin("REPLICAOF", "NO", "ONE")
      expect(yield* connector.command(["EXISTS", "a"])).toBe(0)
      expect(yield* connector.command(["SET", "a", "1"])).toBe("OK")
      expect((yield* connector.stats).reconnects).toBe(1)
    })
  )

  it.live("does so too where a pipeline, a transaction or a script meets it", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed })
      const connector = yield* connect(node)
      yield* node.admin("REPLICAOF", node.host, 1)
      const set = ["SET", "a", "1"]
      const readonly = expect.objectContaining({ code: "READONLY" })
      expect(yield* connector.pipeline([["GET", "a"], set, ["GET", "a"]])).toEqual([null, readonly, null])
      yield* reconnected(connector, 1)
      expect(yield* Effect.flip(connector.transaction([["GET", "a"], set]))).toMatchObject({
        code: "READONLY"
      })
      yield* reconnected(connector, 2)
      const script = "return redis.call('SET', 'a', '1')"
      expect(yield* Effect.flip(connector.command(["EVAL", script, 0]))).toMatchObject({ code: "READONLY" })
      yield* reconnected(connector, 3)
    })
  )

  it.live("answers those that had theirs in flight beside it, or says that it is unknown", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed })
      const connector = yield* connect(node)
      yield* node.admin("REPLICAOF", node.host, 1)
      const calls = Array.from({ length: 200 }, (_, i) =>
        Effect.exit(connector.command(i % 50 === 10 ? ["SET", "a", "1"] : ["ECHO", i]))
      )
      const all = yield* Effect.forkChild(Effect.all(calls, { concurrency: "unbounded" }))
      for (const exit of yield* Fiber.join(all)) {
        if (Exit.isSuccess(exit)) continue
        expect(String(exit.cause)).toMatch(/READONLY|Disconnected/)
      }
      yield* reconnected(connector, 1)
      expect((yield* connector.stats).pending).toBe(0)
    })
  )
})

/** Replies to one command of boot or fence that waiting will change. */
const passing = [
  "LOADING Valkey is loading the dataset in memory",
  "BUSY Valkey is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
  "TRYAGAIN Multiple keys request during rehashing of slot",
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  "CLUSTERDOWN The cluster is down",
  "ERR max number of clients reached"
]

describe("an answer that waiting will change", () => {
  for (const line of passing) {
    for (const step of ["AUTH", "SELECT", "CLIENT", "GET"]) {
      it.live(`is not fatal: ${line.split(" ", 1)} to ${step}`, () =>
        Effect.gen(function* () {
          const node = yield* almostValkey((name) => (name === step ? `-${line}` : undefined))
          const error = yield* Effect.flip(
            Effect.scoped(connect(node, { database: 1, clientName: "emq", connectTimeout: 5_000 }))
          )
          expect(error).toMatchObject({ _tag: "ConnectFailed", reason: "not-ready", detail: line })
        })
      )
    }
  }

  it.live("is waited for until it has changed", () =>
    Effect.gen(function* () {
      let ready = true
      const node = yield* rawServer((socket) =>
        answering((name) => {
          if (name === "CUT") socket.destroy()
          if (name === "GET") return ready ? `$12\r\n${WIRE_4}` : "-BUSY running a script"
          return name === "AUTH" ? "-ERR no" : "+OK"
        })(socket)
      )
      const connector = yield* connect(node)
      const seen = yield* watched(connector)
      ready = false
      yield* Effect.flip(connector.command(["CUT"]))
      yield* until(
        "it has waited",
        Effect.sync(() => notReady(seen, /^BUSY /)),
        ({ length }) => length > 2
      )
      ready = true
      yield* reconnected(connector, 1)
      expect(yield* connector.command(["ANY"])).toBe("OK")
    })
  )
})
