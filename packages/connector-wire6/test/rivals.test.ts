import { ConnectorWire4 } from "@echomq/connector-wire4"
import { Dialer } from "@echomq/connector-wire4/link"
import { Fence, VERSION_KEY, VersionFence, WIRE_4, WIRE_6 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Result } from "effect"
import { ConnectorWire6 } from "../src/index.ts"
import { dial } from "./support/client.ts"
import { sendingBy } from "./support/links.ts"
import { ErrorReply } from "./support/resp.ts"
import { changes, executed, keys } from "./support/statistics.ts"
import { VERBS } from "./support/verbs.ts"

type Node = TestNode["Service"]

const wire4 = ({ host, port }: Node) => ConnectorWire4.make({ host, port })
const wire6 = ({ host, port }: Node) => ConnectorWire6.make({ host, port })

const foundWire4 = `EMQWIRE expected ${WIRE_6} found ${WIRE_4}`

const fenced = (error: object, got: string | null) =>
  error instanceof VersionFence ? expect(error.got).toBe(got) : expect.unreachable(String(error))

describe("each refuses the other", () => {
  it.live("wire 4 on a node that was installed", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ module: modulePath() })
      const operator = yield* dial(node)
      expect(yield* operator.call("EMQ.INSTALL", 1, VERSION_KEY)).toBe(1)
      fenced(yield* Effect.flip(wire4(node)), WIRE_6)
      expect(yield* executed(node)).toEqual({ "emq.install": 1, get: 2, set: 1 })
      const connector = yield* wire6(node)
      expect(yield* connector.command(["EMQ.ENQUEUE", 1, "emq:{q}:pending"])).toBe(1)
    })
  )

  it.live("wire 6, verbs and EMQ.INSTALL on a node that was claimed", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ module: modulePath() })
      const claimant = yield* wire4(node)
      fenced(yield* Effect.flip(wire6(node)), WIRE_4)
      const client = yield* dial(node)
      for (const verb of VERBS) expect(yield* client.refusal(verb, 1, "emq:{q}:pending")).toBe(foundWire4)
      expect(yield* client.refusal("EMQ.INSTALL", 1, VERSION_KEY)).toBe(foundWire4)
      expect(
        yield* client.call("EVAL", "return server.pcall('EMQ.CLAIM', 1, KEYS[1])", 1, "emq:{q}:x")
      ).toEqual(new ErrorReply(foundWire4))
      // The connector that holds the claim reaches the module's verbs no more than others.
      const error = yield* Effect.flip(claimant.command(["EMQ.ENQUEUE", 1, "emq:{q}:pending"]))
      expect(error).toMatchObject({ _tag: "ServerError", code: "EMQWIRE", message: foundWire4 })
      expect(yield* keys(node)).toEqual([VERSION_KEY])
      expect(yield* changes(node)).toBe(1)
      expect(yield* claimant.command(["INCR", "served"])).toBe(1)
    })
  )

  it.live("wire 6 on a node that nobody has installed, which stays empty for either", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ module: modulePath() })
      fenced(yield* Effect.flip(wire6(node)), null)
      const client = yield* dial(node)
      expect(yield* client.refusal("EMQ.CLAIM", 1, "emq:{q}:pending")).toBe(Fence.WIRE_ABSENT)
      expect(yield* keys(node)).toEqual([])
      yield* wire4(node)
      expect(yield* node.admin("GET", VERSION_KEY)).toBe(WIRE_4)
    })
  )
})

/** How much later the operator starts: after an install later still, after a claim earlier, ever closer to a tie. */
class Balance {
  delay = 0
  #step = 1
  #installed = true
  readonly #most: number
  readonly #least: number

  constructor(most: number, least: number) {
    this.#most = most
    this.#least = least
  }

  after(installed: boolean): void {
    this.#step =
      installed === this.#installed
        ? Math.min(this.#most, this.#step * 2)
        : Math.max(this.#least, this.#step / 2)
    this.#installed = installed
    this.delay += installed ? this.#step : -this.#step
  }
}

/** One turn of the event loop. */
const tick = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

describe("a claim races EMQ.INSTALL on an empty node", () => {
  const ROUNDS = 200

  it.live(
    `${ROUNDS} times: one of the two values stands, and the right side runs`,
    () =>
      Effect.gen(function* () {
        const node = yield* TestNode.make({ module: modulePath() })
        const operator = yield* dial(node)
        const install = operator.call("EMQ.INSTALL", 1, VERSION_KEY)
        const tally = { claimed: 0, installed: 0, tooLate: 0 }

        /** Both at once, the one or the other by some milliseconds later. */
        const milliseconds = new Balance(16, 0.5)
        const apart = Effect.suspend(() =>
          Effect.all(
            [
              Effect.andThen(Effect.sleep(Math.max(0, milliseconds.delay)), install),
              Effect.andThen(Effect.sleep(Math.max(0, -milliseconds.delay)), Effect.result(wire4(node)))
            ],
            { concurrency: 2 }
          )
        )

        /** The operator comes when the connector has found no value and sends its claim, or some ticks later. */
        const ticks = new Balance(64, 1)
        const atTheClaim = Effect.gen(function* () {
          const now = yield* Deferred.make<void>()
          const dialer = yield* sendingBy((_, [request], go) => {
            if (request?.name === "SET") Deferred.doneUnsafe(now, Effect.void)
            go()
          })
          return yield* Effect.all(
            [
              Deferred.await(now).pipe(
                Effect.andThen(Effect.repeat(tick, { times: Math.max(0, Math.round(ticks.delay)) })),
                Effect.andThen(install)
              ),
              Effect.result(Effect.provideService(wire4(node), Dialer, dialer))
            ],
            { concurrency: 2 }
          )
        })

        const round = Effect.fnUntraced(function* (index: number) {
          yield* node.admin("FLUSHALL")
          yield* node.admin("CONFIG", "RESETSTAT")
          const before = yield* changes(node)
          const [reply, claimed] = yield* index % 2 === 0 ? apart : atTheClaim
          expect((yield* changes(node)) - before).toBe(1)
          const stored = yield* node.admin("GET", VERSION_KEY)
          // A claim that came too late was executed, and changed nothing.
          if ((yield* node.executed).set === 2) tally.tooLate++
          if (stored === WIRE_6) {
            tally.installed++
            expect(reply).toBe(1)
            fenced(Result.getOrThrow(Result.flip(claimed)), WIRE_6)
            expect(yield* (yield* wire6(node)).command(["EMQ.ENQUEUE", 1, "emq:{q}:pending"])).toBe(1)
            expect(yield* keys(node)).toEqual(["emq:{q}:journal", VERSION_KEY])
          } else {
            tally.claimed++
            expect(stored).toBe(WIRE_4)
            expect(reply).toEqual(new ErrorReply(foundWire4))
            expect(yield* Result.getOrThrow(claimed).command(["INCR", "served"])).toBe(1)
            expect(yield* operator.refusal("EMQ.ENQUEUE", 1, "emq:{q}:pending")).toBe(foundWire4)
            expect(yield* keys(node)).toEqual(["served", VERSION_KEY])
          }
          const balance = index % 2 === 0 ? milliseconds : ticks
          balance.after(stored === WIRE_6)
        })
        for (let i = 0; i < ROUNDS; i++) yield* Effect.scoped(round(i))
        expect(tally.claimed + tally.installed).toBe(ROUNDS)
        expect(tally.claimed).toBeGreaterThan(0)
        expect(tally.installed).toBeGreaterThan(0)
        expect(tally.tooLate).toBeGreaterThan(0)
      }),
    120_000
  )

  it.live("between its GET and its SET: the claim comes too late, and the connector is refused", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ module: modulePath() })
      const operator = yield* dial(node)
      const late = yield* sendingBy((_, [request], go) => {
        if (request?.name !== "SET") go()
        else Effect.runCallback(operator.call("EMQ.INSTALL", 1, VERSION_KEY), { onExit: go })
      })
      fenced(yield* Effect.flip(Effect.provideService(wire4(node), Dialer, late)), WIRE_6)
      expect(yield* executed(node)).toEqual({ "emq.install": 1, get: 3, set: 2 })
      expect(yield* changes(node)).toBe(1)
      expect(yield* node.admin("GET", VERSION_KEY)).toBe(WIRE_6)
    })
  )
})
