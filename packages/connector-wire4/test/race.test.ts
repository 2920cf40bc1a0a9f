import { VERSION_KEY, VersionFence, WIRE_4, WIRE_6 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { ConnectorWire4 } from "../src/index.ts"
import { changes, executedOnKeys } from "./support/statistics.ts"

type Node = TestNode["Service"]

const CONNECTORS = 100
const ROUNDS = 20

/** Makes a node that has served before what it was at first. */
const empty = (node: Node) => Effect.andThen(node.admin("FLUSHALL"), node.admin("CONFIG", "RESETSTAT"))

/** Starts all at once, on an event loop that starts many more connections than anyone would: hence the time. */
const start = (node: Node) =>
  Effect.all(
    Array.from({ length: CONNECTORS }, () =>
      Effect.result(ConnectorWire4.make({ host: node.host, port: node.port, connectTimeout: "30 seconds" }))
    ),
    { concurrency: "unbounded" }
  )

type Started = Effect.Success<ReturnType<typeof start>>

const running = (started: Started) =>
  started.flatMap((result) => (result._tag === "Success" ? [result.success] : []))

const refusals = (started: Started) =>
  started.flatMap((result) => (result._tag === "Failure" ? [result.failure] : []))

/** All that run write: each of their writes is one, on the one node. */
const serve = (started: Started) =>
  Effect.forEach(running(started), (connector) => connector.command(["INCR", "served"]), {
    concurrency: "unbounded"
  })

const rounds = <E>(count: number, round: (index: number) => Effect.Effect<void, E, Scope.Scope>) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => Effect.scoped(round(index)),
    { discard: true }
  )

describe(`${CONNECTORS} connectors start at once on an empty node`, () => {
  it.live(
    `${ROUNDS} times over, one claim takes effect and all run`,
    () =>
      Effect.gen(function* () {
        const node = yield* TestNode.make()
        let contested = 0
        yield* rounds(ROUNDS, () =>
          Effect.gen(function* () {
            yield* empty(node)
            const before = yield* changes(node)
            const started = yield* start(node)
            expect(refusals(started)).toEqual([])
            expect(yield* node.admin("GET", VERSION_KEY)).toBe(WIRE_4)
            // A `SET … NX` that finds the key changes nothing.
            expect((yield* changes(node)) - before).toBe(1)
            const { get = 0, set = 0, ...others } = yield* executedOnKeys(node)
            expect(others).toEqual({})
            expect(set).toBeGreaterThanOrEqual(1)
            expect(get).toBe(CONNECTORS + set)
            if (set > 1) contested++
            expect((yield* serve(started)).length).toBe(CONNECTORS)
            expect(yield* node.admin("GET", "served")).toBe(String(CONNECTORS))
          })
        )
        // Without several claims in a round, there was no race.
        expect(contested).toBeGreaterThan(0)
      }),
    120_000
  )

  it.live(
    "beside a rival of wire 6, all run or all are refused, as the key says",
    () =>
      Effect.gen(function* () {
        const node = yield* TestNode.make()
        let wins = 0
        let losses = 0
        // After a win the rival starts later, after a loss earlier, so that it comes ever closer to the claim.
        let delay = 0
        let step = 32
        let wonBefore = true
        yield* rounds(ROUNDS, () =>
          Effect.gen(function* () {
            yield* empty(node)
            const before = yield* changes(node)
            const rival = Effect.andThen(
              delay === 0 ? Effect.void : Effect.sleep(delay),
              node.admin("SET", VERSION_KEY, WIRE_6, "NX")
            )
            const [reply, started] = yield* Effect.all([rival, start(node)], { concurrency: "unbounded" })
            const won = reply === "OK"
            const stored = yield* node.admin("GET", VERSION_KEY)
            expect(stored).toBe(won ? WIRE_6 : WIRE_4)
            expect((yield* changes(node)) - before).toBe(1)
            expect(running(started).length).toBe(won ? 0 : CONNECTORS)
            for (const error of refusals(started)) {
              if (!(error instanceof VersionFence)) return expect.unreachable(error._tag)
              expect(error.got).toBe(WIRE_6)
            }
            yield* serve(started)
            expect(yield* node.admin("GET", "served")).toBe(won ? null : String(CONNECTORS))
            if (won) wins++
            else losses++
            step = won === wonBefore ? Math.min(64, step * 2) : Math.max(1, step / 2)
            delay = Math.max(0, delay + (won ? step : -step))
            wonBefore = won
          })
        )
        expect(wins).toBeGreaterThan(0)
        expect(losses).toBeGreaterThan(0)
      }),
    120_000
  )
})
