import { Effect } from "effect"
import { type Kind, kinds, peers } from "../clients/kinds.ts"
import { fleet } from "../fleet.ts"
import { interleaved, pace } from "../measure.ts"
import { plainNode } from "../Node.ts"
import { short, spread } from "../report/numbers.ts"
import { atMost } from "../report/targets.ts"
import type { Section } from "../Section.ts"
import { median, quantile, ratio } from "../statistics.ts"
import type { Work } from "../Work.ts"

const works: ReadonlyArray<Work> = ["SET", "GET", "GET 1 KB"]
const CALLERS = 50

/** How long a call takes at 50 callers. */
export const latency: Section = Effect.fnUntraced(function* (plan) {
  const node = yield* plainNode
  const clients = yield* fleet(node.port, plan.warmMillis)
  const rows: Array<ReadonlyArray<string>> = []
  const targets = []
  for (const work of works) {
    console.error(`latency: ${work}, ${CALLERS} callers`)
    const rounds = yield* interleaved(kinds, plan.rounds, async (kind) => {
      const samples: Array<number> = []
      await pace(plan.latencyMillis, (round) => clients[kind].timedLoop(work, CALLERS, round, samples))
      return { p50: quantile(samples, 0.5) * 1_000, p99: quantile(samples, 0.99) * 1_000 }
    })
    const p99 = (kind: Kind) => rounds[kind].map(({ p99 }) => p99)
    const best = peers.reduce((best, peer) => (median(p99(peer)) < median(p99(best)) ? peer : best))
    for (const kind of kinds) {
      rows.push([
        work,
        kind,
        short(median(rounds[kind].map(({ p50 }) => p50))),
        short(median(p99(kind))),
        kind === "connector" ? "" : spread(ratio(p99("connector"), p99(kind)))
      ])
    }
    targets.push(
      atMost(
        `${work}, ${CALLERS} callers: p99 latency, to the best peer (${best})`,
        1.2,
        ratio(p99("connector"), p99(best))
      )
    )
  }
  return {
    title: "Latency",
    tables: [
      {
        title: `Latency at ${CALLERS} callers, in µs`,
        head: ["work", "client", "p50", "p99", "connector's p99 to it"],
        rows
      }
    ],
    targets,
    panels: []
  }
})
