import type { Plan } from "../Plan.ts"
import type { Findings, Table } from "../Section.ts"

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const table = ({ head, rows }: Pick<Table, "head" | "rows">): string =>
  [row(head), row(head.map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.map(row)].join("\n")

const section = ({ tables, title }: Findings): string =>
  [`## ${title}`, ...tables.flatMap((each) => [`**${each.title}**`, table(each)])].join("\n\n")

const targets = (findings: ReadonlyArray<Findings>): string => {
  const all = findings.flatMap(({ targets }) => targets)
  const met = all.filter(({ met }) => met).length
  return [
    "## Targets",
    `${met} of ${all.length} reached. Each ratio is one of medians; in brackets the 10th and the 90th percentile of single rounds.`,
    table({
      head: ["target", "bound", "reached", ""],
      rows: all.map(({ bound, met, reached, what }) => [what, bound, reached, met ? "met" : "**missed**"])
    })
  ].join("\n\n")
}

const kinds: Record<Plan["name"], string> = {
  full: "A full run.",
  quick: "**A quick run**, too short to rely on: `npm run bench` makes a full one."
}

/** The findings as a page. */
export const markdown = (
  plan: Plan,
  machine: ReadonlyArray<string>,
  findings: ReadonlyArray<Findings>,
  chart: string
): string =>
  `${[
    "<!-- Written by `npm run bench`. Do not edit. -->",
    "# Benchmark results",
    `${kinds[plan.name]} What is measured, and how, is in [performance.md](performance.md).`,
    machine.map((line) => `- ${line}`).join("\n"),
    `![Calls a second and time a call, for each client](${chart})`,
    targets(findings),
    ...findings.map(section)
  ].join("\n\n")}\n`
