import { Effect, Fiber } from "effect"
import { open, service } from "../clients/Connector.ts"
import { interleaved, paceOf } from "../measure.ts"
import { plainNode } from "../Node.ts"
import { short, spread } from "../report/numbers.ts"
import type { Section } from "../Section.ts"
import { median, ratio } from "../statistics.ts"

const READS = 200_000

/** What reading a connector's counters costs. */
export const stats: Section = Effect.fnUntraced(function* (plan) {
  console.error("stats")
  const { port } = yield* plainNode
  const { stats } = yield* service(port)
  const client = yield* open(port)
  const read = Effect.gen(function* () {
    for (let i = 0; i < READS; i++) yield* stats
  })
  const nanos: Array<number> = []
  for (let round = 0; round <= plan.rounds; round++) {
    const start = performance.now()
    yield* read
    if (round > 0) nanos.push(((performance.now() - start) * 1e6) / READS)
  }
  const polling = Effect.forever(Effect.andThen(stats, Effect.sleep(1)))
  const rates = yield* interleaved(["unread", "read"], plan.rounds, async (name) => {
    const fiber = name === "read" ? Effect.runFork(polling) : null
    const { rate } = await paceOf(client, "SET", 1_000, plan.roundMillis)
    if (fiber !== null) await Effect.runPromise(Fiber.interrupt(fiber))
    return rate
  })
  return {
    title: "Statistics",
    tables: [
      {
        title: "The cost of stats",
        head: ["what", "measured"],
        rows: [
          ["reading them once, in ns", short(median(nanos))],
          [
            "rate of SET at 1,000 callers while they are read every ms, to the rate without",
            spread(ratio(rates.read, rates.unread))
          ]
        ]
      }
    ],
    targets: [],
    panels: []
  }
})
