import type { Command } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ConnectorWire4 } from "../src/index.ts"
import { Dialer } from "../src/link/index.ts"

/** A connector, with how many commands each batch had that its link was given, and how many of them were on their way. */
const connect = Effect.gen(function* () {
  const node = yield* TestNode.make()
  const { dial, subscribe } = yield* Dialer
  const sizes: Array<number> = []
  const onTheirWay: Array<number> = []
  let sent = 0
  const counted: typeof dial = (target) =>
    Effect.map(dial(target), (link) => ({
      loss: link.loss,
      pinProof: link.pinProof,
      send: (requests, atomic, done) => {
        sizes.push(requests.length)
        onTheirWay.push(++sent)
        link.send(requests, atomic, (replies) => {
          sent--
          done(replies)
        })
      }
    }))
  const connector = yield* ConnectorWire4.make({ host: node.host, port: node.port }).pipe(
    Effect.provideService(Dialer, { dial: counted, subscribe })
  )
  sizes.length = 0
  onTheirWay.length = 0
  return { connector, node, onTheirWay, sizes }
})

const increment: Command = ["INCR", "calls"]

const together = <A, E>(count: number, one: Effect.Effect<A, E>) =>
  Effect.forEach(Array.from({ length: count }), () => one, { concurrency: "unbounded" })

const sum = (sizes: ReadonlyArray<number>) => sizes.reduce((sum, size) => sum + size, 0)

describe("the calls of one tick", () => {
  it.live("go out together where they are few", () =>
    Effect.gen(function* () {
      const { connector, sizes } = yield* connect
      yield* together(16, connector.command(increment))
      expect(sizes).toEqual([16])
    })
  )

  it.live("go out in halves, and no more than 512 at once", () =>
    Effect.gen(function* () {
      const { connector, node, sizes } = yield* connect
      yield* together(200, connector.command(increment))
      expect(Math.max(...sizes)).toBeLessThanOrEqual(100)
      sizes.length = 0
      yield* together(5_000, connector.command(increment))
      expect(Math.max(...sizes)).toBe(512)
      expect(sum(sizes)).toBe(5_000)
      expect(yield* node.admin("GET", "calls")).toBe("5200")
    })
  )

  it.live("stay in halves while their callers call again", () =>
    Effect.gen(function* () {
      const { connector, sizes } = yield* connect
      const caller = Effect.gen(function* () {
        for (let i = 0; i < 50; i++) yield* connector.command(increment)
      })
      yield* together(200, caller)
      expect(sum(sizes)).toBe(10_000)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(100)
      // So as to be worth their round trips, they are not much smaller either.
      expect(sizes.length).toBeLessThan(10_000 / 16)
    })
  )

  it.live("wait for one another where the callers come one by one, and then go out together", () =>
    Effect.gen(function* () {
      const { connector, node, onTheirWay, sizes } = yield* connect
      yield* node.admin("CLIENT", "PAUSE", 60_000, "WRITE")
      const calls: Array<Fiber.Fiber<unknown, unknown>> = []
      for (let i = 0; i < 24; i++) {
        calls.push(Effect.runFork<unknown, unknown>(connector.command(increment)))
        yield* Effect.yieldNow
      }
      expect(sizes).toEqual(Array.from({ length: 8 }, () => 1))
      yield* node.admin("CLIENT", "UNPAUSE")
      for (const call of calls) yield* Fiber.join(call)
      expect(sizes.slice(8)).toEqual([16])
      expect(Math.max(...onTheirWay)).toBe(8)
    })
  )

  it.live(
    "do not hold up transactions, which cannot go out together, before the driver loses their order",
    () =>
      Effect.gen(function* () {
        const { connector, node, onTheirWay } = yield* connect
        yield* node.admin("CLIENT", "PAUSE", 60_000, "WRITE")
        const calls = yield* Effect.forkChild(together(100, connector.transaction([increment])))
        yield* until(
          "40 are on their way",
          Effect.sync(() => onTheirWay.length),
          (count) => count === 40
        )
        yield* node.admin("CLIENT", "UNPAUSE")
        expect(yield* Fiber.join(calls)).toEqual(Array.from({ length: 100 }, (_, i) => [i + 1]))
        expect(Math.max(...onTheirWay)).toBe(40)
      })
  )

  it.live("are as many as a pipeline has, which stays in order with what is around it", () =>
    Effect.gen(function* () {
      const { connector, sizes } = yield* connect
      const replies = yield* connector.pipeline(Array.from({ length: 1_000 }, () => increment))
      expect(replies).toEqual(replies.map((_, i) => i + 1))
      expect(sum(sizes)).toBe(1_000)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(500)
    })
  )
})
