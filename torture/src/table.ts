type Rows = ReadonlyArray<ReadonlyArray<string | number>>

/** Rows in columns as wide as they need; numbers to the right. */
export const table = (head: ReadonlyArray<string>, rows: Rows): string => {
  const cells = rows.map((row) => row.map(String))
  const width = (column: number) => Math.max(...[head, ...cells].map((row) => row[column]?.length ?? 0))
  const pad = (cell: string, column: number) =>
    typeof rows[0]?.[column] === "number" ? cell.padStart(width(column)) : cell.padEnd(width(column))
  const line = (row: ReadonlyArray<string>) => row.map(pad).join("  ").trimEnd()
  return [line(head), line(head.map((_, column) => "─".repeat(width(column)))), ...cells.map(line)].join("\n")
}

const sorted = (list: ReadonlyArray<number>): ReadonlyArray<number> => [...list].sort((a, b) => a - b)

/** The middle one and the largest, in whole milliseconds. */
export const middleAndMost = (list: ReadonlyArray<number>): readonly [string, string] => {
  if (list.length === 0) return ["", ""]
  const order = sorted(list)
  return [(order[Math.floor(order.length / 2)] as number).toFixed(0), (order.at(-1) as number).toFixed(0)]
}
