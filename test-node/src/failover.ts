/**
 * A primary and its replica behind one address, which is switched from one to the other: tests to be declared for each
 * wire.
 */
import {
  type Command,
  type CommandError,
  type ConnectFailed,
  type Connector,
  type FatalError,
  IDENTITY,
  type Lane,
  ServerError,
  type Status,
  VERSION_KEY,
  type Wire
} from "@echomq/keyspace"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Result, type Scope, Stream } from "effect"
import { type Address, type Forwarder, forwarder } from "./forwarder.ts"
import type { NodeOptions } from "./NodeOptions.ts"
import { TestNode } from "./TestNode.ts"
import { until } from "./until.ts"

type Node = TestNode["Service"]
type Service = Connector["Service"]

interface Options extends Address {
  readonly backoff: { readonly base: number; readonly max: number }
}

/** A wire, and how it writes. */
export interface Subject {
  readonly wire: Wire
  /** What a node of the wire is started with. */
  readonly node: NodeOptions
  readonly make: (options: Options) => Effect.Effect<Service, ConnectFailed | FatalError, Scope.Scope>
  /** Appends an element to the list `journal`. */
  readonly append: (element: string) => Command
  /** The list that it appends to. */
  readonly journal: string
  /** An element of the list, as it was appended. */
  readonly elementOf: (stored: string) => string
  /** What the connector asks a node before it serves, in order. */
  readonly fence: ReadonlyArray<string>
}

interface Site {
  readonly primary: Node
  readonly replica: Node
  readonly path: Forwarder
  readonly connector: Service
  /** Every state from the first on. */
  readonly seen: ReadonlyArray<Status>
}

const everything = [
  ...["--slowlog-log-slower-than", "0", "--slowlog-max-len", "1000000"],
  ...["--repl-diskless-sync-delay", "0"]
]

const inStep = (replica: Node) =>
  until("the replica is in step", replica.admin("INFO", "replication"), (info) =>
    /master_link_status:up/.test(String(info))
  )

const offset = (node: Node) =>
  Effect.map(node.admin("INFO", "replication"), (info) =>
    Number(/^(?:slave_repl|master_repl)_offset:(\d+)/m.exec(String(info))?.[1])
  )

const tagsOf = (seen: ReadonlyArray<Status>) => seen.map(({ _tag }) => _tag)

/** The replica is made the primary, and the primary its replica. The address still leads where it did. */
const swapRoles = Effect.fnUntraced(function* ({ primary, replica }: Site) {
  yield* replica.admin("REPLICAOF", "NO", "ONE")
  yield* replica.admin("SLOWLOG", "RESET")
  yield* primary.admin("REPLICAOF", replica.host, replica.port)
  yield* primary.admin("CONFIG", "RESETSTAT")
})

/** What any connection says to be one. */
const ofConnections = /^(ping|quit|client|auth|psync|replconf)$/i

/** What one client after another sent the node, by the names of commands, without what makes a connection. */
const heardBy = Effect.fnUntraced(function* (node: Node) {
  const log = (yield* node.admin("SLOWLOG", "GET", "-1")) as ReadonlyArray<
    readonly [number, number, number, ReadonlyArray<string>, string]
  >
  const clients = new Map<string, Array<string>>()
  for (const [, , , [name = "", key = ""], client] of log.toReversed()) {
    // Neither the fixture's own, nor what a replica says.
    if (!client.startsWith("127.0.0.1:") || ofConnections.test(name)) continue
    const text = /^get$/i.test(name) ? `GET ${key}` : name.toUpperCase()
    clients.set(client, [...(clients.get(client) ?? []), text])
  }
  return [...clients.values()]
})

const readonly = { _tag: "ServerError", code: "READONLY" }

/** Declares the tests of a connector on a wire. */
export const failover = ({ append, elementOf, fence, journal, make, node, wire }: Subject): void => {
  const start = Effect.fnUntraced(function* () {
    const options: NodeOptions = { ...node, args: everything }
    const primary = yield* TestNode.make({ ...options, seed: [["SET", VERSION_KEY, IDENTITY[wire]]] })
    const replica = yield* TestNode.make(options)
    yield* replica.admin("REPLICAOF", primary.host, primary.port)
    yield* inStep(replica)
    const path = yield* forwarder(primary)
    const connector = yield* make({ host: path.host, port: path.port, backoff: { base: 20, max: 100 } })
    const seen: Array<Status> = []
    yield* Effect.forkScoped(
      Stream.runForEach(connector.changes, (status) => Effect.sync(() => seen.push(status)))
    )
    return { primary, replica, path, connector, seen } satisfies Site
  })

  const write = ({ connector }: Site, element: string) => connector.command(append(element))

  const elements = (node: Node) =>
    Effect.map(node.admin("LRANGE", journal, 0, -1), (list) => (list as ReadonlyArray<string>).map(elementOf))

  const reconnected = ({ connector }: Site, times: number) =>
    until(`${times} reconnects`, connector.stats, ({ reconnects }) => reconnects === times)

  const caughtUp = (from: Node, to: Node) =>
    until(
      "both have the same",
      Effect.all([elements(from), elements(to)]),
      ([one, other]) => one.length === other.length
    )

  describe("a replica takes over from its primary, behind one address", () => {
    it.live("the refused write is reported and not replayed, and writes go on over a fenced link", () =>
      Effect.gen(function* () {
        const site = yield* start()
        const { connector, path, primary, replica, seen } = site
        for (const element of ["a", "b", "c"]) yield* write(site, element)
        yield* caughtUp(primary, replica)
        yield* path.leadTo(replica)
        yield* swapRoles(site)
        expect(yield* Effect.flip(write(site, "refused"))).toMatchObject({
          ...readonly,
          message: "READONLY You can't write against a read only replica."
        })
        yield* reconnected(site, 1)
        expect(yield* write(site, "d")).toBe(4)
        expect(tagsOf(seen)).toEqual(["Serving", "Down", "Connecting", "Serving"])
        expect(seen[1]).toMatchObject({ error: { _tag: "Disconnected" } })
        // The new primary was asked what it holds before it was written, and nothing else.
        expect(yield* heardBy(replica)).toEqual([[...fence, String(append("d")[0])]])
        yield* inStep(primary)
        yield* caughtUp(replica, primary)
        for (const node of [primary, replica]) expect(yield* elements(node)).toEqual(["a", "b", "c", "d"])
        // The link to the old one is gone; the driver holds on to it for some seconds.
        yield* until("only the replication is left", path.connections, (open) => open === 1)
        expect(yield* connector.stats).toMatchObject({ pending: 0, reconnects: 1 })
      })
    )

    it.live("every write is refused with READONLY until the address leads to the new primary", () =>
      Effect.gen(function* () {
        const site = yield* start()
        const { path, primary, replica } = site
        yield* write(site, "a")
        yield* caughtUp(primary, replica)
        yield* swapRoles(site)
        for (let times = 1; times <= 3; times++) {
          expect(yield* Effect.flip(write(site, "refused"))).toMatchObject(readonly)
          yield* reconnected(site, times)
        }
        expect(yield* heardBy(replica)).toEqual([])
        // That changes nothing for a connection that is open.
        yield* path.leadTo(replica)
        expect(yield* Effect.flip(write(site, "refused"))).toMatchObject(readonly)
        yield* reconnected(site, 4)
        expect(yield* write(site, "b")).toBe(2)
        expect(yield* elements(replica)).toEqual(["a", "b"])
      })
    )

    it.live("a new primary that holds another wire is not written, and stops the connector", () =>
      Effect.gen(function* () {
        const foreign = IDENTITY[wire === 4 ? 6 : 4]
        const site = yield* start()
        const { connector, path, primary, replica } = site
        yield* write(site, "a")
        yield* caughtUp(primary, replica)
        yield* path.leadTo(replica)
        yield* replica.admin("REPLICAOF", "NO", "ONE")
        yield* replica.admin("SET", VERSION_KEY, foreign)
        yield* swapRoles(site)
        expect(yield* Effect.flip(write(site, "refused"))).toMatchObject(readonly)
        const error = yield* Effect.flip(connector.stopped)
        expect(error).toMatchObject({ _tag: "VersionFence", expected: IDENTITY[wire], got: foreign })
        expect(yield* Effect.flip(write(site, "late"))).toBe(error)
        expect(yield* heardBy(replica)).toEqual([fence])
        expect(yield* elements(replica)).toEqual(["a"])
      })
    )

    it.live("under writes, each that was acknowledged is there once, and none that was refused", () =>
      Effect.gen(function* () {
        const site = yield* start()
        const { connector, path, primary, replica } = site
        const acknowledged: Array<string> = []
        const refused: Array<string> = []
        const unknown: Array<string> = []
        const others: Array<CommandError> = []
        let stop = false
        const settle = (element: string, result: Result.Result<unknown, CommandError>) => {
          if (Result.isSuccess(result)) return acknowledged.push(element)
          const error = result.failure
          if (error instanceof ServerError && error.code === "READONLY") return refused.push(element)
          if (error._tag !== "Disconnected") return others.push(error)
          return (error.outcome === "unknown" ? unknown : refused).push(element)
        }
        const writers = yield* Effect.forEach(["a", "b", "c", "d"], (name) =>
          Effect.forkScoped(
            Effect.gen(function* () {
              for (let i = 0; !stop; i++) {
                const element = `${name}${i}`
                settle(element, yield* Effect.result(write(site, element)))
                // Nothing else runs in a process that asks again at once.
                if (i % 16 === 0) yield* Effect.sleep(1)
              }
            })
          )
        )
        const more = Effect.suspend(() => {
          const before = acknowledged.length
          return until(
            "more is written",
            Effect.sync(() => acknowledged.length),
            (length) => length > before + 300
          )
        })
        const [from, to] = [primary, replica]
        yield* more
        // No write is acknowledged by one that the other does not get.
        yield* from.admin("CLIENT", "PAUSE", 60_000, "WRITE")
        const offsets = Effect.all([offset(from), offset(to)])
        yield* until("the replica has it all", offsets, ([one, other]) => one === other)
        yield* path.leadTo(to)
        yield* swapRoles(site)
        yield* from.admin("CLIENT", "UNPAUSE")
        yield* reconnected(site, 1)
        yield* more
        stop = true
        yield* Effect.forEach(writers, Fiber.join)
        expect(others).toEqual([])
        expect(refused.length).toBeGreaterThan(0)
        const written = yield* elements(to)
        expect(new Set(written).size).toBe(written.length)
        const there = new Set(written)
        expect(acknowledged.filter((element) => !there.has(element))).toEqual([])
        expect(refused.filter((element) => there.has(element))).toEqual([])
        // What was in flight beside a refusal met the same server, and the same answer.
        expect(unknown.filter((element) => there.has(element))).toEqual([])
        yield* inStep(from)
        yield* caughtUp(to, from)
        expect(yield* elements(from)).toEqual(written)
        for (const heard of yield* heardBy(to)) expect(heard.slice(0, fence.length)).toEqual(fence)
        expect((yield* connector.stats).pending).toBe(0)
      })
    )

    it.live("a lane's wait is ended, and it goes on over a link of its own to the new primary, fenced", () =>
      Effect.gen(function* () {
        const site = yield* start()
        const { connector, path, primary, replica } = site
        const lane: Lane = yield* connector.lane
        const take = lane.command(["BLPOP", "list", 0])
        const waiting = yield* Effect.forkChild(Effect.flip(take))
        yield* until("it waits", primary.admin("INFO", "clients"), (info) =>
          /^blocked_clients:1/m.test(String(info))
        )
        yield* path.leadTo(replica)
        yield* swapRoles(site)
        // The server says UNBLOCKED and closes the connection, which may be noticed first.
        expect((yield* Fiber.join(waiting))._tag).toMatch(/^(ServerError|Disconnected)$/)
        yield* replica.admin("RPUSH", "list", "element")
        const again = Effect.retry(take, { while: ({ _tag }) => _tag === "Disconnected" })
        expect(yield* again).toEqual(["list", "element"])
        expect(yield* heardBy(replica)).toEqual([[...fence, "BLPOP"]])
      })
    )
  })
}
