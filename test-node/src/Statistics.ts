/** How often a server met one command. */
export interface CommandCount {
  /** Executed, those that failed included. */
  readonly calls: number
  /** Executed, and answered with an error. */
  readonly failed: number
  /** Refused before execution: wrong arity, no permission, out of memory. Not among the calls. */
  readonly rejected: number
}

/** The commands that a server knows, by full lower-case name (`config|get`), and whether each has the `write` flag. */
export type CommandTable = ReadonlyMap<string, boolean>

/** Reads the reply of `COMMAND`. */
export const commandTable = (reply: unknown): CommandTable => {
  const table = new Map<string, boolean>()
  const add = (entries: ReadonlyArray<unknown>) => {
    for (const entry of entries as ReadonlyArray<ReadonlyArray<unknown>>) {
      table.set(String(entry[0]).toLowerCase(), (entry[2] as ReadonlyArray<string>).includes("write"))
      add((entry[9] ?? []) as ReadonlyArray<unknown>)
    }
  }
  add(reply as ReadonlyArray<unknown>)
  return table
}

/** Reads `INFO commandstats`, less what is one's own. */
export const parseCounts = (info: string, own: ReadonlyMap<string, number>): Record<string, CommandCount> => {
  const counts: Record<string, CommandCount> = {}
  for (const [, name = "", fields = ""] of info.matchAll(/^cmdstat_([^:]+):(.*)$/gm)) {
    const field = (key: string) => Number(new RegExp(`(?:^|,)${key}=(\\d+)`).exec(fields)?.[1] ?? 0)
    const command = name.toLowerCase()
    const count = {
      calls: field("calls") - (own.get(command) ?? 0),
      failed: field("failed_calls"),
      rejected: field("rejected_calls")
    }
    if (count.calls > 0 || count.failed > 0 || count.rejected > 0) counts[command] = count
  }
  return counts
}

/** Reads a number from `INFO`. */
export const parseField = (info: string, name: string): number =>
  Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1])
