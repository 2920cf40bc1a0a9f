import { faults } from "../faults/index.ts"
import { middleAndMost, table } from "../table.ts"
import { type Chaos, held, type Outcome } from "./chaos.ts"
import { megabytes } from "./Snapshot.ts"

/** The run in tables. Recovery is from the end of a fault until the last connector of its site has had a write answered. */
export const report = ({ seed }: Chaos, { after, before, journal, stalls }: Outcome): string => {
  const { calls, connectors, epochs, reconnects, recoveries, stops, violations, writes } = journal
  const handles = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([kind, count]) => `${kind} ${count}`)
      .join(", ") || "none"
  return [
    table(
      ["fault", "count", "recovery ms, median", "most"],
      Object.keys(faults).map((kind) => [
        kind,
        journal.faults.get(kind),
        ...middleAndMost(recoveries.get(kind) ?? [])
      ])
    ),
    table(["call ended with", "count"], calls.entries),
    table(["write is", "count"], writes.entries),
    table(["connector stopped with", "count"], stops.entries),
    table(
      ["", "before", "after"],
      [
        ["heap", megabytes(before.heap), megabytes(after.heap)],
        ["resident", megabytes(before.rss), megabytes(after.rss)],
        ["handles", handles(before.handles), handles(after.handles)]
      ]
    ),
    `resident over the run: ${Array.from({ length: 10 }, (_, i) => megabytes(held(journal.resident, i / 10))).join(", ")}`,
    [
      `seed ${seed}: ${journal.faults.total} faults in ${epochs} epochs; ${calls.total} calls, ${writes.total} writes`,
      `${connectors} connectors, ${reconnects} reconnects; the slowest call settled after ${journal.slowest.toFixed(0)} ms`,
      `this process stalled for ${stalls.total.toFixed(0)} ms in all, ${stalls.worst.toFixed(0)} ms at worst`
    ].join("\n"),
    violations.length === 0
      ? "No violation."
      : [
          `${violations.length} VIOLATIONS (again with --seed ${seed}):`,
          ...violations.map(({ site, step, what }) => `  ${site}, step ${step}: ${what}`)
        ].join("\n")
  ].join("\n\n")
}
