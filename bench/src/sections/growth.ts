import { Effect } from "effect"
import type { Client } from "../clients/Client.ts"
import { type Kind, kinds, load } from "../clients/kinds.ts"
import { fleet } from "../fleet.ts"
import { interleaved, pace } from "../measure.ts"
import { plainNode } from "../Node.ts"
import { short, spread, whole } from "../report/numbers.ts"
import { atMost } from "../report/targets.ts"
import type { Findings, Section } from "../Section.ts"
import { median, ratio } from "../statistics.ts"

const CALLERS = 1_000
const counts = [1, 10, 100, 1_000]
const depths = [1, 10, 100, 1_000, 10_000, 100_000]

/** How much a time may differ between depths before it counts as growth. */
const NOISE = 1.1

const openMany = (kind: Kind, count: number, port: number) =>
  Effect.flatMap(
    Effect.promise(() => load(kind)),
    (open) => Effect.forEach(Array.from({ length: count }), () => open(port), { concurrency: 50 })
  )

const shared = (clients: ReadonlyArray<Client>, millis: number) =>
  pace(millis, (round) =>
    Promise.all(clients.map((client) => client.loop("SET", CALLERS / clients.length, round)))
  )

const byConnectors: Section = Effect.fnUntraced(function* (plan) {
  const { port } = yield* plainNode
  const byCount: Array<Readonly<Record<Kind, number>>> = []
  for (const count of counts) {
    console.error(`growth: ${count} of each client`)
    const rates = yield* Effect.scoped(
      Effect.gen(function* () {
        const many = {} as Record<Kind, ReadonlyArray<Client>>
        for (const kind of kinds) many[kind] = yield* openMany(kind, count, port)
        return yield* interleaved(
          kinds,
          plan.growthRounds,
          async (kind) => (await shared(many[kind], plan.roundMillis)).rate
        )
      })
    )
    byCount.push(
      Object.fromEntries(kinds.map((kind) => [kind, median(rates[kind])])) as unknown as Record<Kind, number>
    )
  }
  return {
    title: "Growth by connectors",
    tables: [
      {
        title: `SET, ${whole(CALLERS)} callers spread over many clients in one process: calls a second`,
        head: ["clients", ...kinds],
        rows: counts.map((count, i) => [
          whole(count),
          ...kinds.map((kind) => short(byCount[i]?.[kind] ?? Number.NaN))
        ])
      }
    ],
    targets: [],
    panels: []
  }
})

/** Microseconds a call, where `depth` of them are issued at once and awaited, again and again. */
const burst = async (client: Client, depth: number, millis: number): Promise<number> => {
  const start = performance.now()
  let calls = 0
  let elapsed = 0
  while (elapsed < millis) {
    await client.burst("SET", depth)
    calls += depth
    elapsed = performance.now() - start
  }
  return (elapsed * 1_000) / calls
}

const byDepth: Section = Effect.fnUntraced(function* (plan) {
  const { port } = yield* plainNode
  const clients = yield* fleet(port, plan.warmMillis)
  const byDepth: Array<Readonly<Record<Kind, ReadonlyArray<number>>>> = []
  for (const depth of depths) {
    console.error(`growth: ${whole(depth)} calls at once`)
    byDepth.push(
      yield* interleaved(kinds, plan.growthRounds, (kind) => burst(clients[kind], depth, plan.roundMillis))
    )
  }
  const at = (depth: number, kind: Kind) => byDepth[depths.indexOf(depth)]?.[kind] ?? []
  const deep = ratio(at(100_000, "connector"), at(1_000, "connector"))
  return {
    title: "Growth by depth",
    tables: [
      {
        title: "SET, calls issued at once: µs a call",
        head: ["calls at once", ...kinds],
        rows: depths.map((depth) => [whole(depth), ...kinds.map((kind) => short(median(at(depth, kind))))])
      },
      {
        title: "What 100,000 calls at once take, a call, to 1,000 at once",
        head: [...kinds],
        rows: [kinds.map((kind) => spread(ratio(at(100_000, kind), at(1_000, kind))))]
      }
    ],
    targets: [
      atMost(
        `time per call with 100,000 waiting, to 1,000 waiting ("must not grow"; ${NOISE} allows for noise)`,
        NOISE,
        deep
      )
    ],
    panels: [
      {
        title: "SET: µs a call, by calls issued at once",
        points: depths.map(whole),
        series: kinds.map((name) => ({ name, values: depths.map((depth) => median(at(depth, name))) }))
      }
    ]
  }
})

/** The same with more connectors in the process, and with more calls waiting. */
export const growth: Section = Effect.fnUntraced(function* (plan) {
  const parts: ReadonlyArray<Findings> = [
    yield* Effect.scoped(byConnectors(plan)),
    yield* Effect.scoped(byDepth(plan))
  ]
  return {
    title: "Growth",
    tables: parts.flatMap(({ tables }) => tables),
    targets: parts.flatMap(({ targets }) => targets),
    panels: parts.flatMap(({ panels }) => panels)
  }
})
