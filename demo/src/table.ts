/** Rows of text in columns as wide as they need. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const width = (column: number) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0))
  const line = (row: ReadonlyArray<string>) =>
    row
      .map((cell, column) => cell.padEnd(width(column)))
      .join("  ")
      .trimEnd()
  return [line(head), line(head.map((_, column) => "─".repeat(width(column)))), ...rows.map(line)].join("\n")
}
