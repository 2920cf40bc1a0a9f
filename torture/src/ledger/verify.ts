import type { Entry } from "./Entry.ts"
import type { Ledger } from "./Ledger.ts"
import { decode, encode } from "./Value.ts"

/** How many problems of one kind are told one by one. */
const TOLD = 5

/** What one write is, for a message. */
const shown = (entry: Entry): string =>
  `write ${entry.n} (link ${entry.link}${entry.transaction === null ? "" : `, transaction ${entry.transaction}`}, ${entry.outcome}: ${entry.why})`

/**
 * Holds what a connector's callers know against what servers hold: `lists` are the values found for it, a list for
 * each node or each life of one, in the order in which they served. Gives what is wrong.
 */
export const verify = (
  ledger: Ledger,
  lists: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => {
  const problems = new Map<string, Array<string>>()
  const problem = (kind: string, detail: string) => {
    const list = problems.get(kind) ?? []
    list.push(detail)
    problems.set(kind, list)
  }

  const applied: Array<Entry> = []
  const times = new Map<Entry, number>()
  for (const value of lists.flat()) {
    const entry = ledger.entries[decode(value) ?? -1]
    if (entry === undefined || value !== encode(entry.n, entry.size)) {
      problem("a value that nobody wrote", JSON.stringify(value.slice(0, 40)))
      continue
    }
    applied.push(entry)
    times.set(entry, (times.get(entry) ?? 0) + 1)
  }

  for (const entry of ledger.entries) {
    const count = times.get(entry) ?? 0
    if (entry.outcome === "waiting") problem("never settled", shown(entry))
    if (count > 1) problem(`applied ${count} times`, shown(entry))
    if (count === 0 && entry.outcome === "acknowledged") problem("acknowledged and lost", shown(entry))
    if (count > 0 && entry.outcome === "not-applied") problem("applied against its word", shown(entry))
    const { position } = entry
    if (position !== null && !lists.some((list) => decode(list[position - 1] ?? "") === entry.n)) {
      problem("not where its reply said", `${shown(entry)} at ${position}`)
    }
  }

  order(applied, problem)
  transactions(ledger, applied, problem)
  return [...problems].flatMap(([kind, details]) =>
    details
      .slice(0, TOLD)
      .map((detail) => `${kind}: ${detail}`)
      .concat(details.length > TOLD ? [`${kind}: ${details.length - TOLD} more`] : [])
  )
}

/**
 * On one connection, writes are applied in the order in which they were made. Across connections an `unknown` one
 * may come late, since bytes that a lost connection left in the network can arrive after the next one serves; an
 * acknowledged one may not.
 */
const order = (applied: ReadonlyArray<Entry>, problem: (kind: string, detail: string) => void): void => {
  const latestOf = new Map<number, Entry>()
  let latest: Entry | undefined
  for (const entry of applied) {
    const before = latestOf.get(entry.link)
    const behind = entry.outcome === "acknowledged" ? latest : before
    if (behind !== undefined && behind.n > entry.n)
      problem("out of order", `${shown(entry)} after ${shown(behind)}`)
    if (before === undefined || before.n < entry.n) latestOf.set(entry.link, entry)
    if (latest === undefined || latest.n < entry.n) latest = entry
  }
}

/** A transaction is applied as a whole and in one piece, or not at all. */
const transactions = (
  ledger: Ledger,
  applied: ReadonlyArray<Entry>,
  problem: (kind: string, detail: string) => void
): void => {
  const sizes = new Map<number, number>()
  for (const { transaction } of ledger.entries) {
    if (transaction !== null) sizes.set(transaction, (sizes.get(transaction) ?? 0) + 1)
  }
  const places = new Map<number, Array<number>>()
  applied.forEach(({ transaction }, place) => {
    if (transaction !== null) places.set(transaction, [...(places.get(transaction) ?? []), place])
  })
  for (const [transaction, list] of places) {
    const first = list[0] as number
    if (list.length !== sizes.get(transaction) || list.some((place, i) => place !== first + i)) {
      problem(
        "a transaction in pieces",
        `transaction ${transaction} at ${list.join(" ")} of ${sizes.get(transaction)}`
      )
    }
  }
}
