import { type Command, Key, type Part, type Reply, ServerError, VERSION_KEY, WIRE_6 } from "@echomq/keyspace"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ConnectorWire6 } from "../src/index.ts"
import { withModule } from "./support/nodes.ts"
import { keys } from "./support/statistics.ts"
import { VERBS } from "./support/verbs.ts"

const CALLS = 100_000
const SEED = 0x6e0c
const PIPELINED = 1_000

/** A generator of numbers below 1 (mulberry32): the same ones for the same seed. */
const random = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), seed | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}

/** Draws calls: good ones, near misses, and plain noise. */
const calls = (next: () => number) => {
  const below = (bound: number) => Math.floor(next() * bound)
  const of = <A>(values: ReadonlyArray<A>) => values[below(values.length)] as A
  const noise = () => Buffer.from(Array.from({ length: below(20) }, () => below(256)))
  const name = () =>
    of(["a", "b", "c", "orders", "emq", " ", "\u{1f600}", "a}", "{", "", Buffer.of(0xff)] as const)
  const named = (queue: string | Buffer, type: string | Buffer) =>
    Buffer.concat(["emq:{", queue, "}:", type].map((part) => Buffer.from(part as string)))
  const good = (queue: string | Buffer) =>
    named(queue, of<string | Buffer>(["pending", "job:1", "journal", "{x}", Buffer.of(0)]))
  const stray = () =>
    of<() => string | Buffer>([
      noise,
      () => VERSION_KEY,
      () => good(name()),
      () => "",
      () => named("a", "")
    ])()
  const argument = () => of<() => Part>([noise, () => below(1000), () => next(), () => "", () => "a\r\nb"])()
  const numkeys = (count: number): Part =>
    next() < 0.85
      ? count
      : of<Part>([
          0,
          -1,
          count + 1,
          count - 1,
          1e6,
          "",
          "x",
          "01",
          "+1",
          " 1",
          `${2n ** 64n}`,
          Buffer.of(0xff)
        ])
  return (): Command => {
    const verb = of(VERBS)
    const spelt = next() < 0.9 ? verb : verb.toLowerCase()
    if (next() < 0.05) return [spelt, ...Array.from({ length: below(4) }, argument)]
    const queue = name()
    const named = Array.from({ length: 1 + below(4) }, () => (next() < 0.93 ? good(queue) : stray()))
    return [spelt, numkeys(named.length), ...named, ...Array.from({ length: below(4) }, argument)]
  }
}

/** The queue to whose journal a call is to go, in hexadecimal; `null` where it is to be refused. */
const queueOf = ([, numkeys, ...following]: Command): string | null => {
  const count = Buffer.from(numkeys instanceof Uint8Array ? numkeys : String(numkeys)).toString("latin1")
  if (!/^[1-9]\d{0,5}$/.test(count) || Number(count) > following.length) return null
  const queues = following.slice(0, Number(count)).map((part) => {
    const { queue } = Key.parse(part instanceof Uint8Array ? part : String(part))
    return queue === null ? null : Buffer.from(queue as string).toString("hex")
  })
  const [first] = queues
  return first !== undefined && queues.every((queue) => queue === first) ? first : null
}

describe(`${CALLS} random calls of the verbs, seed ${SEED}`, () => {
  it.live(
    "each is refused or goes to the journal of its queue, whose length is the number that said so",
    () =>
      Effect.gen(function* () {
        const node = yield* withModule({ seed: [["SET", VERSION_KEY, WIRE_6]] })
        const connector = yield* ConnectorWire6.make({ host: node.host, port: node.port })
        const draw = calls(random(SEED))
        const lengths = new Map<string, number>()
        const succeeded = new Map<string, number>()
        const refused = new Map<string, number>()
        const count = (map: Map<string, number>, of: string) => map.set(of, (map.get(of) ?? 0) + 1)

        const judge = (call: Command, reply: Reply) => {
          const queue = queueOf(call)
          if (reply instanceof ServerError) {
            if (queue !== null) expect.unreachable(`${JSON.stringify(call.map(String))}: ${reply.message}`)
            count(refused, reply.code)
          } else {
            if (queue === null) return expect.unreachable(`${JSON.stringify(call.map(String))} was executed`)
            count(succeeded, String(call[0]).toUpperCase())
            const length = (lengths.get(queue) ?? 0) + 1
            lengths.set(queue, length)
            if (reply !== length) expect.unreachable(`${reply} where ${length} was due`)
          }
        }

        for (let done = 0; done < CALLS; done += PIPELINED) {
          const batch = Array.from({ length: PIPELINED }, draw)
          const replies = yield* connector.pipeline(batch)
          expect(replies.length).toBe(PIPELINED)
          for (const [i, call] of batch.entries()) judge(call, replies[i] ?? null)
        }

        const sum = (map: Map<string, number>) => [...map.values()].reduce((total, value) => total + value, 0)
        expect(sum(succeeded) + sum(refused)).toBe(CALLS)
        // Enough of each to speak of.
        expect([...succeeded.keys()].toSorted()).toEqual([...VERBS].toSorted())
        expect(Math.min(...succeeded.values())).toBeGreaterThan(CALLS / 50)
        expect([...refused.keys()].toSorted()).toEqual(["EMQKEY", "ERR"])
        expect(Math.min(...refused.values())).toBeGreaterThan(CALLS / 50)

        // The server's own record: the journals are all there is, and hold what was acknowledged.
        const journals = new Map<string, unknown>()
        for (const queue of lengths.keys()) {
          const journal = Buffer.from(
            `emq:{${Buffer.from(queue, "hex").toString("latin1")}}:journal`,
            "latin1"
          )
          journals.set(queue, yield* node.admin("LLEN", journal))
        }
        expect(journals).toEqual(lengths)
        expect((yield* keys(node)).length).toBe(1 + lengths.size)
        expect((yield* node.executed).rpush).toBe(sum(succeeded))
        expect(yield* node.admin("GET", VERSION_KEY)).toBe(WIRE_6)
        expect(yield* connector.stats).toMatchObject({
          commands: CALLS,
          wireErrors: sum(refused),
          reconnects: 0
        })

        // It is the same node still, and all of it survives a restart.
        expect(yield* connector.command(["EMQ.CLAIM", 1, "emq:{last}:x"])).toBe(1)
        yield* node.restart
        expect((yield* keys(node)).length).toBe(2 + lengths.size)
      }),
    120_000
  )
})
