import { Effect } from "effect"
import { type Kind, kinds, peers } from "../clients/kinds.ts"
import { fleet } from "../fleet.ts"
import { interleaved, type Pace, paceOf } from "../measure.ts"
import { plainNode } from "../Node.ts"
import { short, spread, whole } from "../report/numbers.ts"
import { atLeast, atMost } from "../report/targets.ts"
import type { Section, Table, Target } from "../Section.ts"
import { median, ratio } from "../statistics.ts"
import type { Work } from "../Work.ts"

const works: ReadonlyArray<Work> = ["SET", "GET", "GET 1 KB", "EVALSHA"]
const crowds = [1, 10, 50, 200, 1_000]

/** All rounds of one kind of work at one number of callers. */
interface Cell {
  readonly work: Work
  readonly callers: number
  readonly rates: Readonly<Record<Kind, ReadonlyArray<number>>>
  readonly costs: Readonly<Record<Kind, ReadonlyArray<number>>>
}

const pick = (paces: Readonly<Record<Kind, ReadonlyArray<Pace>>>, field: keyof Pace): Cell["rates"] =>
  Object.fromEntries(
    kinds.map((kind) => [kind, paces[kind].map((pace) => pace[field])])
  ) as unknown as Cell["rates"]

/** The peer with the highest median. */
const best = ({ rates }: Cell): Kind =>
  peers.reduce((best, peer) => (median(rates[peer]) > median(rates[best]) ? peer : best))

/** The peer that spends the least processor time. */
const thriftiest = ({ costs }: Cell): Kind =>
  peers.reduce((best, peer) => (median(costs[peer]) < median(costs[best]) ? peer : best))

const ratesOf = (work: Work, cells: ReadonlyArray<Cell>): Table => ({
  title: `${work}: calls a second`,
  head: ["callers", ...kinds, "best peer", "connector to it", "connector to GLIDE"],
  rows: cells.map((cell) => [
    whole(cell.callers),
    ...kinds.map((kind) => short(median(cell.rates[kind]))),
    best(cell),
    spread(ratio(cell.rates.connector, cell.rates[best(cell)])),
    spread(ratio(cell.rates.connector, cell.rates.GLIDE))
  ])
})

const costsOf = (work: Work, cells: ReadonlyArray<Cell>): Table => ({
  title: `${work}: processor time of one call, in µs`,
  head: ["callers", ...kinds],
  rows: cells.map((cell) => [whole(cell.callers), ...kinds.map((kind) => short(median(cell.costs[kind])))])
})

const targetsOf = (cell: Cell): ReadonlyArray<Target> => {
  const { callers, costs, rates, work } = cell
  const peer = best(cell)
  const rate = (bound: number, kind: Kind, role: string) =>
    atLeast(
      `${work}, ${whole(callers)} caller${callers === 1 ? "" : "s"}: rate, to ${role}`,
      bound,
      ratio(rates.connector, rates[kind])
    )
  const toBest = (bound: number) => rate(bound, peer, `the best peer (${peer})`)
  switch (callers) {
    case 1:
      return [rate(0.95, "GLIDE", "raw GLIDE")]
    case 10:
      return [toBest(0.85)]
    case 50:
      return [toBest(1)]
    case 200:
      return [toBest(1.5)]
    case 1_000:
      return [
        toBest(1.5),
        rate(4, "GLIDE", "raw GLIDE"),
        atMost(
          `${work}, 1,000 callers: processor time, to the thriftiest peer (${thriftiest(cell)})`,
          1,
          ratio(costs.connector, costs[thriftiest(cell)])
        )
      ]
    default:
      return []
  }
}

/** Calls a second and processor time, by kind of work and number of callers. */
export const throughput: Section = Effect.fnUntraced(function* (plan) {
  const node = yield* plainNode
  const clients = yield* fleet(node.port, plan.warmMillis)
  const cells: Array<Cell> = []
  for (const work of works) {
    for (const callers of crowds) {
      console.error(`throughput: ${work}, ${callers} callers`)
      const paces = yield* interleaved(kinds, plan.rounds, (kind) =>
        paceOf(clients[kind], work, callers, plan.roundMillis)
      )
      cells.push({ work, callers, rates: pick(paces, "rate"), costs: pick(paces, "cpu") })
    }
  }
  const of = (work: Work) => cells.filter((cell) => cell.work === work)
  return {
    title: "Throughput",
    tables: [
      ...works.map((work) => ratesOf(work, of(work))),
      ...works.map((work) => costsOf(work, of(work)))
    ],
    // EVALSHA is shown, and has no target.
    targets: cells.filter(({ work }) => work !== "EVALSHA").flatMap(targetsOf),
    panels: works.map((work) => ({
      title: `${work}: calls a second, by callers`,
      points: crowds.map(whole),
      series: kinds.map((kind) => ({
        name: kind,
        values: of(work).map(({ rates }) => median(rates[kind]))
      }))
    }))
  }
})
