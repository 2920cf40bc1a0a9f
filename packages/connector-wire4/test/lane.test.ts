import { type Connector, type Lane, VERSION_KEY, VersionFence, WIRE_4, WIRE_6 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Redacted, Scope } from "effect"
import { ConnectorWire4, type Options } from "../src/index.ts"
import { authentications } from "./support/authentication.ts"
import { certificatesFor, tlsNode } from "./support/certificates.ts"
import { executedOnKeys, keys } from "./support/statistics.ts"

type Node = TestNode["Service"]

/** So that the log of slow commands is one of all commands. */
const everything = ["--slowlog-log-slower-than", "0", "--slowlog-max-len", "1000000"]

const start = Effect.fnUntraced(function* (options: Options = {}, args: ReadonlyArray<string> = []) {
  const node = yield* TestNode.make({ args })
  const connector = yield* ConnectorWire4.make({ ...options, host: node.host, port: node.port })
  return { node, connector }
})

const started = Effect.fnUntraced(function* (options: Options = {}, args: ReadonlyArray<string> = []) {
  const { connector, node } = yield* start(options, args)
  return { node, connector, lane: yield* connector.lane }
})

/** The commands of each client, in order, under their names alone but for the key of a `GET`. */
const commandsByClient = (node: Node) =>
  Effect.map(node.admin("SLOWLOG", "GET", "-1"), (log) => {
    const clients = new Map<string, Array<string>>()
    for (const [, , , [name = "", key], client] of (
      log as ReadonlyArray<readonly [number, number, number, ReadonlyArray<string>, string]>
    ).toReversed()) {
      const commands = clients.get(client) ?? []
      clients.set(client, commands)
      commands.push(/^get$/i.test(name) ? `GET ${key}` : name.toUpperCase())
    }
    return [...clients.values()]
  })

const blocked = (node: Node) =>
  Effect.map(node.admin("INFO", "clients"), (info) =>
    Number(/^blocked_clients:(\d+)/m.exec(String(info))?.[1])
  )

/** Waits in the background for an element, and until the server has it waiting. */
const waiting = Effect.fnUntraced(function* (node: Node, lane: Lane, list = "list") {
  const fiber = yield* Effect.forkScoped(lane.command(["BLPOP", list, 0]))
  yield* until("it is blocked", blocked(node), (count) => count > 0)
  return fiber
})

describe("a command that blocks", () => {
  it.live("BLPOP waits for an element, while the connector serves others", () =>
    Effect.gen(function* () {
      const { connector, lane, node } = yield* started()
      const popped = yield* waiting(node, lane)
      for (let i = 1; i <= 100; i++) expect(yield* connector.command(["INCR", "n"])).toBe(i)
      expect(popped.pollUnsafe()).toBe(undefined)
      expect(yield* connector.command(["RPUSH", "list", "one", "two"])).toBe(2)
      expect(yield* Fiber.join(popped)).toEqual(["list", "one"])
      expect(yield* lane.command(["BLPOP", "list", 0])).toEqual(["list", "two"])
    })
  )

  it.live("XREADGROUP BLOCK waits for an entry", () =>
    Effect.gen(function* () {
      const { connector, lane, node } = yield* started()
      yield* connector.command(["XGROUP", "CREATE", "stream", "group", "$", "MKSTREAM"])
      const command = ["XREADGROUP", "GROUP", "group", "me", "BLOCK", 0, "STREAMS", "stream", ">"]
      const read = yield* Effect.forkScoped(lane.command(command))
      yield* until("it is blocked", blocked(node), (count) => count === 1)
      const id = yield* connector.command(["XADD", "stream", "*", "field", "value"])
      const entries = yield* Fiber.join(read)
      expect(entries).toEqual(
        yield* connector
          .command(["XRANGE", "stream", "-", "+"])
          .pipe(Effect.map((range) => [["stream", range]]))
      )
      expect(JSON.stringify(entries)).toContain(String(id))
      expect(yield* connector.command(["XACK", "stream", "group", String(id)])).toBe(1)
    })
  )

  it.live.each([
    ["BLMOVE", ["BLMOVE", "list", "other", "LEFT", "RIGHT", 0], "x"],
    ["BRPOP", ["BRPOP", "list", 0], ["list", "x"]],
    ["BLMPOP", ["BLMPOP", 0, 1, "list", "LEFT"], ["list", ["x"]]]
  ] as const)("%s waits for an element", ([, command, reply]) =>
    Effect.gen(function* () {
      const { connector, lane, node } = yield* started()
      const popped = yield* Effect.forkScoped(lane.command(command))
      yield* until("it is blocked", blocked(node), (count) => count === 1)
      yield* connector.command(["RPUSH", "list", "x"])
      expect(yield* Fiber.join(popped)).toEqual(reply)
    })
  )

  it.live("BZPOPMIN and BZMPOP give scores as numbers, as their forms do that do not block", () =>
    Effect.gen(function* () {
      const { connector, lane } = yield* started()
      yield* connector.command(["ZADD", "set", 1, "a", 2, "b", 3, "c", 4, "d"])
      expect(yield* lane.command(["BZPOPMIN", "set", 0])).toEqual(["set", "a", 1])
      expect(yield* lane.command(["BZMPOP", 0, 1, "set", "MIN"])).toEqual(
        yield* connector
          .command(["ZMPOP", 1, "set", "MIN"])
          .pipe(Effect.map((reply) => JSON.parse(JSON.stringify(reply).replace("c", "b").replace("3", "2"))))
      )
    })
  )

  it.live("may wait longer than any of the connector's times, until its own is over", () =>
    Effect.gen(function* () {
      const times = { commandTimeout: 50, heartbeat: 50, linkTimeout: 50 }
      const { lane, node } = yield* started(times)
      const id = yield* lane.command(["CLIENT", "ID"])
      expect(yield* lane.command(["BLPOP", "list", 2])).toBe(null)
      expect(yield* lane.command(["CLIENT", "ID"])).toBe(id)
      expect((yield* node.counts).blpop).toMatchObject({ calls: 1, failed: 0 })
    })
  )

  it.live("never counts against the limit of the connector", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start({ pendingLimit: 1 })
      const lanes = yield* Effect.forEach([1, 2, 3, 4], () => connector.lane)
      const popped = yield* Effect.forEach(lanes, (lane) =>
        Effect.forkScoped(lane.command(["BLPOP", "list", 0]))
      )
      yield* until("all are blocked", blocked(node), (count) => count === 4)
      expect(yield* connector.stats).toMatchObject({ pending: 0, commands: 0, overloads: 0 })
      expect(yield* connector.command(["RPUSH", "list", "a", "b", "c", "d"])).toBe(4)
      const elements = yield* Fiber.joinAll(popped)
      expect(elements.map((reply) => String((reply as ReadonlyArray<string>)[1])).toSorted()).toEqual([
        "a",
        "b",
        "c",
        "d"
      ])
      expect(yield* connector.stats).toMatchObject({ pending: 0, commands: 1, overloads: 0 })
    })
  )

  it.live("gives bytes on request, and what is no text as bytes anyway", () =>
    Effect.gen(function* () {
      const { connector, lane } = yield* started()
      const element = Buffer.from("fffe00", "hex")
      yield* connector.command(["RPUSH", "list", element, "text"])
      expect(yield* lane.command(["BLPOP", "list", 0])).toEqual(["list", element])
      const bytes = yield* lane.command(["BLPOP", "list", 0], { bytes: true })
      expect(bytes).toEqual([Buffer.from("list"), Buffer.from("text")])
    })
  )
})

describe("a lane", () => {
  it.live.each(authentications)("is a connection of its own that is fenced before it serves: $name", (how) =>
    Effect.gen(function* () {
      const { connector, node } = yield* start(how.options, [...how.args, ...everything])
      yield* node.admin("CONFIG", "RESETSTAT")
      yield* node.admin("SLOWLOG", "RESET")
      const lane = yield* connector.lane
      expect((yield* executedOnKeys(node)).get).toBe(1)
      yield* lane.command(["RPUSH", "list", "x"])
      yield* lane.command(["BLPOP", "list", 0])
      const clients = yield* commandsByClient(node)
      const [own = []] = clients.filter((commands) => commands.includes("BLPOP"))
      const first = own.indexOf("RPUSH")
      expect(own.indexOf(`GET ${VERSION_KEY}`)).toBeGreaterThanOrEqual(0)
      expect(own.indexOf(`GET ${VERSION_KEY}`)).toBeLessThan(first)
      expect((yield* executedOnKeys(node)).get).toBe(1)
    })
  )

  it.live("is under TLS where the connector is", () =>
    Effect.gen(function* () {
      const certificates = certificatesFor("IP:127.0.0.1")
      const node = yield* TestNode.make(tlsNode(certificates))
      const tls = { ca: certificates.ca }
      const connector = yield* ConnectorWire4.make({ host: node.host, port: node.port, tls })
      const lane = yield* connector.lane
      for (let times = 1; times <= 2; times++) {
        const popped = yield* waiting(node, lane)
        yield* connector.command(["RPUSH", "list", "x"])
        expect(yield* Fiber.join(popped)).toEqual(["list", "x"])
        yield* Fiber.interrupt(yield* waiting(node, lane))
        yield* until("the server has forgotten it", blocked(node), (count) => count === 0)
      }
    })
  )

  it.live("has the connector's database and name", () =>
    Effect.gen(function* () {
      const { connector, lane } = yield* started({ database: 3, clientName: "workers" })
      yield* connector.command(["RPUSH", "list", "x"])
      expect(yield* lane.command(["BLPOP", "list", 0])).toEqual(["list", "x"])
      expect(yield* lane.command(["CLIENT", "GETNAME"])).toBe("workers")
    })
  )

  it.live("serves one caller at a time, in order", () =>
    Effect.gen(function* () {
      const { connector, lane, node } = yield* started()
      const first = yield* waiting(node, lane)
      const second = yield* Effect.forkScoped(lane.command(["INCR", "n"]))
      expect(yield* connector.command(["GET", "n"])).toBe(null)
      expect(second.pollUnsafe()).toBe(undefined)
      yield* connector.command(["RPUSH", "list", "x"])
      yield* Fiber.join(first)
      expect(yield* Fiber.join(second)).toBe(1)
    })
  )

  it.live("tells the errors of the server, and goes on", () =>
    Effect.gen(function* () {
      const { connector, lane, node } = yield* started()
      yield* connector.command(["SET", "list", "x"])
      const { message } = yield* Effect.flip(node.admin("LPOP", "list"))
      const received = yield* node.connectionsReceived
      const error = yield* Effect.flip(lane.command(["BLPOP", "list", 0]))
      expect(error).toMatchObject({ _tag: "ServerError", code: "WRONGTYPE", message })
      const inexact = yield* Effect.flip(lane.command(["INCRBY", "n", "9007199254740993"]))
      expect(inexact).toMatchObject({ _tag: "InexactInteger", command: "INCRBY" })
      expect(yield* lane.command(["PING"])).toBe("PONG")
      expect(yield* node.connectionsReceived).toBe(received)
    })
  )

  it.live.each([
    ["AUTH x", ["AUTH", "x"]],
    ["HELLO 3", ["HELLO", 3]],
    ["RESET", ["RESET"]],
    ["QUIT", ["QUIT"]],
    ["SELECT 1", ["SELECT", 1]],
    ["MULTI", ["MULTI"]],
    ["EXEC", ["EXEC"]],
    ["WATCH k", ["WATCH", "k"]],
    ["SUBSCRIBE c", ["SUBSCRIBE", "c"]],
    ["PSUBSCRIBE c*", ["PSUBSCRIBE", "c*"]],
    ["MONITOR", ["MONITOR"]],
    ["CLIENT REPLY OFF", ["CLIENT", "REPLY", "OFF"]],
    ["CLIENT SETNAME x", ["CLIENT", "SETNAME", "x"]],
    ["CLIENT TRACKING ON", ["CLIENT", "TRACKING", "ON"]],
    ["SCRIPT DEBUG YES", ["SCRIPT", "DEBUG", "YES"]]
  ] as const)("refuses what would change its state: %s", ([, command]) =>
    Effect.gen(function* () {
      const { lane, node } = yield* started()
      yield* node.admin("CONFIG", "RESETSTAT")
      const error = yield* Effect.flip(lane.command(command))
      expect(error._tag).toBe("CommandRefused")
      expect(yield* lane.command(["INCR", "n"])).toBe(1)
      expect(yield* executedOnKeys(node)).toEqual({ incr: 1 })
    })
  )

  it.live("leaves no connection when its scope closes, though it was waiting", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const scope = yield* Scope.make()
      const lanes = yield* Effect.forEach([1, 2, 3], () => Scope.provide(connector.lane, scope))
      const fiber = yield* Effect.forkScoped(
        Effect.flip(lanes[0]?.command(["BLPOP", "list", 0]) ?? Effect.never)
      )
      yield* until("it is blocked", blocked(node), (count) => count === 1)
      yield* Scope.close(scope, Exit.void)
      expect((yield* Fiber.join(fiber))._tag).toBe("Closed")
      yield* until("one connection is left", node.connections, (open) => open === 1)
      expect(yield* blocked(node)).toBe(0)
      const received = yield* node.connectionsReceived
      const error = yield* Effect.flip(lanes[0]?.command(["INCR", "n"]) ?? Effect.never)
      expect(error._tag).toBe("Closed")
      expect(yield* node.connectionsReceived).toBe(received)
      expect(yield* connector.command(["GET", "n"])).toBe(null)
    })
  )
})

describe("a command that is interrupted", () => {
  it.live("is forgotten by the server: what is pushed next is the next one's", () =>
    Effect.gen(function* () {
      const { connector, lane, node } = yield* started()
      for (let i = 0; i < 10; i++) {
        const popped = yield* waiting(node, lane)
        yield* Fiber.interrupt(popped)
        yield* until("the server has forgotten it", blocked(node), (count) => count === 0)
        expect(yield* connector.command(["RPUSH", "list", `x${i}`])).toBe(1)
        expect(yield* lane.command(["BLPOP", "list", 0])).toEqual(["list", `x${i}`])
      }
      const received = yield* node.connectionsReceived
      yield* Effect.sleep("1 second")
      expect(yield* node.connectionsReceived).toBe(received)
      expect(yield* node.connections).toBe(2)
    })
  )

  it.live("by a time-out of the caller's: the element stays in the list", () =>
    Effect.gen(function* () {
      const { connector, lane } = yield* started()
      for (let i = 1; i <= 3; i++) {
        yield* Effect.timeoutOption(lane.command(["BLPOP", `list${i}`, 0]), "200 millis")
        expect(yield* connector.command(["RPUSH", `list${i}`, "x"])).toBe(1)
        expect(yield* connector.command(["LLEN", `list${i}`])).toBe(1)
      }
    })
  )

  it.live("while it waits for another's to end takes nothing from that", () =>
    Effect.gen(function* () {
      const { connector, lane, node } = yield* started()
      const popped = yield* waiting(node, lane)
      const received = yield* node.connectionsReceived
      const second = yield* Effect.forkScoped(lane.command(["INCR", "n"]))
      yield* Fiber.interrupt(second)
      yield* connector.command(["RPUSH", "list", "x"])
      expect(yield* Fiber.join(popped)).toEqual(["list", "x"])
      expect(yield* connector.command(["GET", "n"])).toBe(null)
      expect(yield* node.connectionsReceived).toBe(received)
    })
  )

  it.live("loses nothing and doubles nothing in a worker that is interrupted again and again", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const lanes = yield* Effect.forEach([1, 2, 3], () => connector.lane)
      const taken: Array<string> = []
      const moved = (lane: Lane) =>
        Effect.map(lane.command(["BLMOVE", "list", "done", "LEFT", "RIGHT", 0]), (reply) => {
          taken.push(String(reply))
        })
      const workers = yield* Effect.forEach(lanes, (lane, i) =>
        Effect.forkScoped(
          Effect.forever(Effect.timeoutOption(Effect.forever(moved(lane)), `${30 + 10 * i} millis`))
        )
      )
      for (let i = 0; i < 500; i++) {
        yield* connector.command(["RPUSH", "list", i])
        if (i % 10 === 0) yield* Effect.sleep(5)
      }
      const all = Array.from({ length: 500 }, (_, i) => String(i))
      const done = until("all are moved", connector.command(["LLEN", "done"]), (length) => length === 500)
      yield* done
      yield* Effect.forEach(workers, Fiber.interrupt)
      const elements = (yield* connector.command(["LRANGE", "done", 0, -1])) as ReadonlyArray<string>
      expect(elements.toSorted()).toEqual(all.toSorted())
      expect(new Set(taken).size).toBe(taken.length)
      expect(yield* keys(node)).toEqual(["done", VERSION_KEY].toSorted())
    })
  )

  it.live("is forgotten also where the user may do nothing to connections", () =>
    Effect.gen(function* () {
      const args = ["--user", "emq", "on", ">secret", "~*", "&*", "+@all", "-@connection", "+auth"]
      const options = { username: "emq", password: Redacted.make("secret") }
      const { connector, lane, node } = yield* started(options, args)
      for (let i = 0; i < 3; i++) {
        yield* Fiber.interrupt(yield* waiting(node, lane))
        yield* until("the server has forgotten it", blocked(node), (count) => count === 0)
        yield* connector.command(["RPUSH", "list", "x"])
        expect(yield* lane.command(["BLPOP", "list", 0])).toEqual(["list", "x"])
      }
    })
  )
})

describe("a lane that was lost", () => {
  it.live("fails what was waiting, and is dialled again and fenced by the next command", () =>
    Effect.gen(function* () {
      const { connector, lane, node } = yield* started()
      for (let times = 1; times <= 2; times++) {
        const popped = yield* waiting(node, lane)
        yield* node.restart
        const error = yield* Effect.flip(Fiber.join(popped))
        expect(error).toMatchObject({ _tag: "Disconnected", outcome: "unknown" })
        yield* until("it has reconnected", connector.stats, ({ reconnects }) => reconnects === times)
        yield* node.admin("CONFIG", "RESETSTAT")
        expect(yield* lane.command(["RPUSH", "list", "x"])).toBe(1)
        expect(yield* executedOnKeys(node)).toEqual({ get: 1, rpush: 1 })
        expect(yield* lane.command(["BLPOP", "list", 0])).toEqual(["list", "x"])
      }
    })
  )

  it.live("while it was idle: a command fails or is served, and the one after it is served", () =>
    Effect.gen(function* () {
      const { connector, lane, node } = yield* started()
      for (let times = 1; times <= 3; times++) {
        yield* node.restart
        yield* until("it has reconnected", connector.stats, ({ reconnects }) => reconnects === times)
        const first = yield* Effect.exit(lane.command(["INCR", "n"]))
        if (Exit.isFailure(first)) expect(first.toString()).toContain("Disconnected")
        const second = yield* lane.command(["INCR", "n"])
        expect([2 * times - 1, 2 * times]).toContain(second)
        yield* node.admin("SET", "n", 2 * times)
      }
    })
  )

  it.live("while the node is away says so, and serves when it is back", () =>
    Effect.gen(function* () {
      const { lane, node } = yield* started()
      yield* node.kill
      const first = yield* Effect.flip(lane.command(["INCR", "n"]))
      expect(["Disconnected", "ConnectFailed"]).toContain(first._tag)
      const second = yield* Effect.flip(lane.command(["INCR", "n"]))
      expect(second).toMatchObject({ _tag: "ConnectFailed", reason: "refused" })
      yield* node.restart
      expect(yield* lane.command(["INCR", "n"])).toBe(1)
    })
  )
})

describe("on a foreign node", () => {
  it.live("a lane that was lost fails with the fence, and writes nothing", () =>
    Effect.gen(function* () {
      const { connector, lane, node } = yield* started()
      const popped = yield* waiting(node, lane)
      yield* node.replace({ seed: [["SET", VERSION_KEY, WIRE_6]] })
      expect(yield* Effect.flip(Fiber.join(popped))).toMatchObject({ _tag: "Disconnected" })
      for (let times = 1; times <= 2; times++) {
        const error = yield* Effect.flip(lane.command(["RPUSH", "list", "x"]))
        if (!(error instanceof VersionFence)) return expect.unreachable(error._tag)
        expect(error).toMatchObject({ expected: WIRE_4, got: WIRE_6 })
      }
      yield* Effect.flip(connector.stopped)
      expect(yield* node.writes).toBe(0)
      expect(yield* keys(node)).toEqual([VERSION_KEY])
    })
  )

  it.live("an idle lane writes nothing either", () =>
    Effect.gen(function* () {
      const { connector, lane, node } = yield* started()
      yield* node.replace({ seed: [["SET", VERSION_KEY, WIRE_6]] })
      yield* Effect.flip(connector.stopped)
      yield* Effect.exit(lane.command(["RPUSH", "list", "x"]))
      const error = yield* Effect.flip(lane.command(["RPUSH", "list", "x"]))
      expect(error._tag).toBe("VersionFence")
      expect(yield* node.writes).toBe(0)
      expect(yield* keys(node)).toEqual([VERSION_KEY])
    })
  )

  it.live("a lane is fenced by itself: the connector's own connection stands, and the lane is refused", () =>
    Effect.gen(function* () {
      const { connector, lane, node } = yield* started()
      const id = Number(yield* lane.command(["CLIENT", "ID"]))
      yield* node.admin("SET", VERSION_KEY, WIRE_6)
      const popped = yield* waiting(node, lane)
      yield* node.admin("CLIENT", "KILL", "ID", id)
      expect(yield* Effect.flip(Fiber.join(popped))).toMatchObject({ _tag: "Disconnected" })
      expect((yield* Effect.flip(lane.command(["INCR", "n"])))._tag).toBe("VersionFence")
      expect((yield* Effect.flip(Effect.scoped(connector.lane)))._tag).toBe("VersionFence")
      expect((yield* connector.status)._tag).toBe("Serving")
      expect(yield* keys(node)).toEqual([VERSION_KEY])
    })
  )
})

describe("a connector that has ended", () => {
  const ended = Effect.fnUntraced(function* (connector: Connector["Service"], lane: Lane, node: Node) {
    const error = yield* Effect.flip(connector.stopped)
    const received = yield* node.connectionsReceived
    expect(yield* Effect.flip(Effect.scoped(connector.lane))).toBe(error)
    expect(yield* Effect.flip(lane.command(["INCR", "n"]))).toBe(error)
    expect(yield* node.connectionsReceived).toBe(received)
    yield* until("no connection is left", node.connections, (open) => open === 0)
    expect(yield* node.connectionsReceived).toBe(received)
    return error
  })

  it.live("by its scope opens no lane, and ends those that it has opened", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const scope = yield* Scope.make()
      const connector = yield* Scope.provide(ConnectorWire4.make({ host: node.host, port: node.port }), scope)
      const lane = yield* connector.lane
      const popped = yield* waiting(node, lane)
      yield* Scope.close(scope, Exit.void)
      expect((yield* Effect.flip(Fiber.join(popped)))._tag).toBe("Closed")
      expect((yield* ended(connector, lane, node))._tag).toBe("Closed")
      expect(yield* node.admin("GET", "n")).toBe(null)
    })
  )

  it.live("by the fence opens no lane, though the node is its own again", () =>
    Effect.gen(function* () {
      const { connector, lane, node } = yield* started()
      yield* node.replace({ seed: [["SET", VERSION_KEY, WIRE_6]] })
      yield* Effect.flip(connector.stopped)
      yield* node.replace({ seed: [["SET", VERSION_KEY, WIRE_4]] })
      expect((yield* ended(connector, lane, node))._tag).toBe("VersionFence")
    })
  )
})
