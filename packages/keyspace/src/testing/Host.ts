import { ServerError } from "../CallError.ts"
import type { Binary } from "./Binary.ts"
import type { Raw } from "./Raw.ts"
import type { Store } from "./Store.ts"

/** What a command finds about it. */
export interface Host {
  readonly store: Store
  /** Hands a message to whoever listens, and tells how many did. */
  readonly publish: (channel: Binary, message: Binary) => number
  /** Runs another command on the same node. */
  readonly execute: (args: ReadonlyArray<Binary>) => Raw
  /** Runs the twin of a script. */
  readonly evaluate: (lua: Binary, keys: ReadonlyArray<Binary>, args: ReadonlyArray<Binary>) => Raw
}

/** What a blocking command gives instead of a reply: try again when there is data, for so long; 0 is for ever. */
export class Wait {
  readonly millis: number

  constructor(millis: number) {
    this.millis = millis
  }
}

/** A command of the node, with how many arguments it takes, its name not counted. */
export interface Verb {
  readonly least: number
  readonly most: number
  readonly run: (host: Host, args: ReadonlyArray<Binary>) => Raw | Wait
}

/** Commands by their names in upper case. */
export type Verbs = Readonly<Record<string, Verb>>

type Run = (host: Host, ...args: ReadonlyArray<Binary>) => Raw | Wait

/** A command that takes from `least` to `most` arguments. */
export const verb = (least: number, most: number, run: Run): Verb => ({
  least,
  most,
  run: (host, args) => run(host, ...args)
})

export const SYNTAX = ServerError.of("ERR syntax error")
export const NOT_INTEGER = ServerError.of("ERR value is not an integer or out of range")

/** Valkey knows this option, and the memory node does not: saying so beats a wrong reply. */
export const unsupported = (command: string, option: string): ServerError =>
  ServerError.of(`ERR the memory node knows no ${option.toUpperCase()} of ${command}`)

export const wrongArity = (name: string): ServerError =>
  ServerError.of(`ERR wrong number of arguments for '${name.toLowerCase()}' command`)

/** An integer of 64 bits in canonical form, or `null`. */
export const integer = (text: Binary): bigint | null => {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return null
  const value = BigInt(text)
  return BigInt.asIntN(64, value) === value ? value : null
}

/** Every other element, from the first on. */
export const pairs = <A>(list: ReadonlyArray<A>): ReadonlyArray<readonly [A, A]> =>
  Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i] as A, list[2 * i + 1] as A])

/** Calls `use` with what takes the part from `start` to `stop`, both included, counted from the end where negative. */
export const ranged = (
  start: Binary,
  stop: Binary,
  use: (slice: <A>(list: ReadonlyArray<A>) => ReadonlyArray<A>) => Raw
): Raw => {
  const [from, to] = [integer(start), integer(stop)]
  if (from === null || to === null) return NOT_INTEGER
  return use((list) => {
    const at = (index: bigint) => Math.max(0, Number(index < 0n ? index + BigInt(list.length) : index))
    return to < -BigInt(list.length) ? [] : list.slice(at(from), at(to) + 1)
  })
}
