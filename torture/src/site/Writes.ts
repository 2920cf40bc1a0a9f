import type { Command, Wire } from "@echomq/keyspace"

/** How numbered values are written on a wire, and read back from what the server holds. */
export interface Writes {
  readonly command: (ledger: string, n: number, value: string) => Command
  /** Keys of lists that hold values, as a pattern. */
  readonly pattern: string
  /** Whose list a key is. */
  readonly ledgerOf: (key: string) => string | null
  readonly valueOf: (element: string) => string
  /** A write that is no call of a caller: it shows that a connector serves. */
  readonly probe: Command
  readonly probeKey: string
}

const first = (pattern: RegExp, text: string): string | null => pattern.exec(text)?.[1] ?? null

const scripted: Writes = {
  command: (ledger, _, value) => ["RPUSH", `torture:${ledger}`, value],
  pattern: "torture:*",
  ledgerOf: (key) => first(/^torture:(.*)$/, key),
  valueOf: (element) => element,
  probe: ["SET", "probe", "1"],
  probeKey: "probe"
}

const verbs = [
  "EMQ.ENQUEUE",
  "EMQ.CLAIM",
  "EMQ.COMPLETE",
  "EMQ.SCHEDULE",
  "EMQ.REQUEUE",
  "EMQ.STALLED"
] as const

/** The module's domain is a journal, whose elements are the calls in RESP; the value is the last argument. */
const native: Writes = {
  command: (ledger, n, value) => [verbs[n % verbs.length] as string, 1, `emq:{${ledger}}:pending`, value],
  pattern: "emq:{*}:journal",
  ledgerOf: (key) => first(/^emq:\{(.*)\}:journal$/, key),
  valueOf: (element) => element.split("\r\n").at(-2) ?? "",
  probe: ["EMQ.ENQUEUE", 1, "emq:{probe}:pending", "1"],
  probeKey: "emq:{probe}:journal"
}

export const writes: Record<Wire, Writes> = { 4: scripted, 6: native }
