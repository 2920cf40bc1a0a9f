import { type Connector, VERSION_KEY } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ConnectorWire4 } from "../src/index.ts"
import { type Authentication, authentications } from "./support/authentication.ts"
import { executedOnKeys } from "./support/statistics.ts"
import { type Tally, underWrites, type Writers } from "./support/writers.ts"

type Node = TestNode["Service"]

const [plain] = authentications as readonly [Authentication]

const cut = (node: Node) => node.admin("CLIENT", "KILL", "TYPE", "NORMAL", "SKIPME", "YES")

const reconnected = (connector: Connector["Service"], times: number) =>
  until(`${times} reconnects`, connector.stats, ({ reconnects }) => reconnects === times)

const atWork = (writers: Writers) =>
  Effect.suspend(() => {
    const before = writers.acknowledged()
    return until(
      "the writers are back at work",
      Effect.sync(writers.acknowledged),
      (now) => now > before + 500
    )
  })

/** No write was lost that was acknowledged, and none applied that was not sent, or twice. */
const expectOnce = Effect.fnUntraced(function* (node: Node, tally: Tally) {
  expect(tally.others).toEqual([])
  expect(tally.end).toBe(null)
  expect(tally.backwards).toBe(0)
  const value = Number(yield* node.admin("GET", tally.key))
  expect(value).toBeGreaterThanOrEqual(tally.last)
  expect(value).toBeGreaterThanOrEqual(tally.acknowledged)
  expect(value).toBeLessThanOrEqual(tally.acknowledged + tally.unknown)
})

const expectAllOnce = Effect.fnUntraced(function* (node: Node, writers: Writers) {
  yield* writers.stop
  yield* Effect.forEach(writers.tallies, (tally) => expectOnce(node, tally))
  expect(writers.unknown()).toBeGreaterThan(0)
})

describe("under writes, the node is killed and comes back with its data", () => {
  it.live.each(authentications)("$name", (authentication) =>
    Effect.gen(function* () {
      const { connector, node, writers } = yield* underWrites(authentication)
      for (let times = 1; times <= 4; times++) {
        yield* node.restart
        yield* reconnected(connector, times)
        yield* atWork(writers)
        const { incr, ...others } = yield* executedOnKeys(node)
        expect(others).toEqual({ get: 1 })
        expect(incr).toBeGreaterThan(500)
      }
      yield* expectAllOnce(node, writers)
      // While it was away, nothing was sent.
      expect(writers.tallies.some(({ notSent }) => notSent > 0)).toBe(true)
    })
  )
})

describe("under writes, the connections are cut", () => {
  it.live.each(authentications)("$name", (authentication) =>
    Effect.gen(function* () {
      const { connector, node, writers } = yield* underWrites(authentication)
      const { set } = yield* executedOnKeys(node)
      for (let times = 1; times <= 5; times++) {
        yield* cut(node)
        yield* reconnected(connector, times)
        yield* atWork(writers)
        // At first there were two, about the claim.
        const { incr, ...others } = yield* executedOnKeys(node)
        expect(others).toEqual({ get: 2 + times, set })
        expect(incr).toBeGreaterThan(500)
      }
      yield* expectAllOnce(node, writers)
    })
  )

  it.live("every connection reads the version before it writes", () =>
    Effect.gen(function* () {
      const everything = ["--slowlog-log-slower-than", "0", "--slowlog-max-len", "1000000"]
      const { connector, node, writers } = yield* underWrites({ ...plain, args: everything })
      for (let times = 1; times <= 3; times++) {
        yield* cut(node)
        yield* reconnected(connector, times)
      }
      yield* writers.stop
      const log = (yield* node.admin("SLOWLOG", "GET", "-1")) as ReadonlyArray<
        readonly [number, number, number, ReadonlyArray<string>, string]
      >
      const firsts = new Map<string, string>()
      for (const [, , , [name = "", key = ""], client] of log.toReversed()) {
        if (/^(get|set|incr)$/i.test(name) && !firsts.has(client)) {
          firsts.set(client, `${name} ${key}`.toUpperCase())
        }
      }
      expect([...firsts.values()]).toEqual(new Array(4).fill(`GET ${VERSION_KEY}`.toUpperCase()))
    })
  )

  it.live("a transaction is applied whole or not at all, and once", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* ConnectorWire4.make({ host: node.host, port: node.port })
      let acknowledged = 0
      let unknown = 0
      let stop = false
      const both = connector.transaction([
        ["INCR", "one"],
        ["INCR", "two"]
      ])
      const writing = yield* Effect.forkScoped(
        Effect.gen(function* () {
          while (!stop) {
            yield* Effect.matchEffect(both, {
              onSuccess: ([one, two]) =>
                Effect.sync(() => {
                  acknowledged++
                  expect(one).toBe(two)
                }),
              onFailure: (error) => {
                if (error._tag !== "Disconnected") return Effect.die(error)
                if (error.outcome === "unknown") unknown++
                return Effect.sleep(1)
              }
            })
          }
        })
      )
      for (let times = 1; times <= 5; times++) {
        const before = acknowledged
        yield* until(
          "it is at work",
          Effect.sync(() => acknowledged),
          (now) => now > before + 200
        )
        yield* times % 2 === 0 ? node.restart : cut(node)
        yield* reconnected(connector, times)
      }
      stop = true
      yield* until(
        "it has stopped",
        Effect.sync(() => writing.pollUnsafe()),
        (exit) => exit !== undefined
      )
      expect(writing.pollUnsafe()).toMatchObject({ _tag: "Success" })
      const one = Number(yield* node.admin("GET", "one"))
      expect(yield* node.admin("GET", "two")).toBe(String(one))
      expect(one).toBeGreaterThanOrEqual(acknowledged)
      expect(one).toBeLessThanOrEqual(acknowledged + unknown)
    })
  )
})

describe("a loss is noticed by the connector itself", () => {
  // So that neither a heartbeat nor a call comes to its help.
  const patient = {
    heartbeat: "10 minutes",
    linkTimeout: "10 minutes",
    commandTimeout: "10 minutes"
  } as const

  it.live("on an idle connection, the third time as the first", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* ConnectorWire4.make({ ...patient, host: node.host, port: node.port })
      for (let times = 1; times <= 3; times++) {
        yield* cut(node)
        yield* reconnected(connector, times)
        // By then the driver has forgotten the client that lost its connection, and counted it out again.
        yield* Effect.sleep("3500 millis")
      }
      expect(yield* executedOnKeys(node)).toEqual({ get: 5, set: 1 })
    })
  )

  it.live("when other connections come as it goes", () =>
    Effect.forEach(
      Array.from({ length: 8 }, (_, i) => i),
      () =>
        Effect.gen(function* () {
          const { connector, node, writers } = yield* underWrites({ ...plain, options: patient })
          for (let times = 1; times <= 4; times++) {
            yield* node.restart
            yield* reconnected(connector, times)
          }
          yield* expectAllOnce(node, writers)
        }),
      { concurrency: "unbounded", discard: true }
    )
  )

  it.live("and is not made of a server that is slow while another connection is lost", () =>
    Effect.gen(function* () {
      const slow = yield* TestNode.make()
      const other = yield* TestNode.make()
      const connector = yield* ConnectorWire4.make({ host: slow.host, port: slow.port })
      yield* ConnectorWire4.make({ host: other.host, port: other.port })
      const sleeping = yield* Effect.forkScoped(slow.admin("DEBUG", "SLEEP", "1.5"))
      yield* Effect.sleep(50)
      const [reply] = yield* Effect.all([connector.command(["INCR", "served"]), other.kill], {
        concurrency: "unbounded"
      })
      expect(reply).toBe(1)
      expect(sleeping.pollUnsafe()).toMatchObject({ _tag: "Success" })
      expect((yield* connector.stats).reconnects).toBe(0)
    })
  )
})
