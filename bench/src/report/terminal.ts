import type { Findings, Table, Target } from "../Section.ts"

const columns = ({ head, rows }: Pick<Table, "head" | "rows">): string => {
  const width = (column: number) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0))
  const line = (row: ReadonlyArray<string>) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(width(column)) : cell.padStart(width(column))))
      .join("  ")
      .trimEnd()
  return [line(head), line(head.map((_, column) => "─".repeat(width(column)))), ...rows.map(line)].join("\n")
}

const targetTable = (targets: ReadonlyArray<Target>) => ({
  head: ["target", "bound", "reached", ""],
  rows: targets.map(({ bound, met, reached, what }) => [what, bound, reached, met ? "met" : "MISSED"])
})

/** The findings as text for a terminal. */
export const terminal = ({ tables, targets, title }: Findings): string =>
  [
    `\n── ${title}`,
    ...tables.map((table) => `\n${table.title}\n\n${columns(table)}`),
    ...(targets.length === 0 ? [] : [`\n${columns(targetTable(targets))}`])
  ].join("\n")
