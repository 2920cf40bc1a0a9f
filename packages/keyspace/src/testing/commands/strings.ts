import { ServerError } from "../../CallError.ts"
import type { Binary } from "../Binary.ts"
import { type Host, integer, NOT_INTEGER, SYNTAX, unsupported, type Verbs, verb } from "../Host.ts"
import type { Raw } from "../Raw.ts"

interface Expiry {
  /** In milliseconds. */
  readonly unit: 1 | 1000
  readonly amount: Binary
}

interface SetOptions {
  condition?: "NX" | "XX"
  get?: true
  expiry?: Expiry
}

const setOptions = (words: ReadonlyArray<Binary>): SetOptions | ServerError => {
  const options: SetOptions = {}
  for (let i = 0; i < words.length; i++) {
    const word = words[i]?.toUpperCase()
    const next = words[i + 1]
    if ((word === "NX" || word === "XX") && (options.condition ?? word) === word) options.condition = word
    else if (word === "GET") options.get = true
    else if ((word === "EX" || word === "PX") && options.expiry === undefined && next !== undefined) {
      options.expiry = { unit: word === "EX" ? 1000 : 1, amount: next }
      i++
    } else return /^(KEEPTTL|EXAT|PXAT|IFEQ)$/.test(word ?? "") ? unsupported("SET", word ?? "") : SYNTAX
  }
  return options
}

const expiryOf = ({ store }: Host, { amount, unit }: Expiry): number | ServerError => {
  const given = integer(amount)
  if (given === null) return NOT_INTEGER
  const at = given * BigInt(unit) + BigInt(Math.trunc(store.now()))
  return given <= 0n || BigInt.asIntN(64, at) !== at
    ? ServerError.of("ERR invalid expire time in 'set' command")
    : Number(at)
}

const set = (host: Host, key = "", value = "", ...words: ReadonlyArray<Binary>): Raw => {
  const options = setOptions(words)
  if (options instanceof ServerError) return options
  const { condition, expiry, get } = options
  const expiresAt = expiry === undefined ? null : expiryOf(host, expiry)
  if (expiresAt instanceof ServerError) return expiresAt
  const write = (before: Binary | null): Raw => {
    const isThere = host.store.type(key) !== null
    const isMet = condition === undefined || isThere === (condition === "XX")
    if (isMet) host.store.set(key, value, expiresAt)
    return get === true ? before : isMet ? "OK" : null
  }
  return get === true ? host.store.string(key, write) : write(null)
}

const increment = (host: Host, key: Binary, by: bigint): Raw =>
  host.store.string(key, (value) => {
    const before = integer(value ?? "0")
    if (before === null) return NOT_INTEGER
    const after = before + by
    if (BigInt.asIntN(64, after) !== after) return ServerError.of("ERR increment or decrement would overflow")
    host.store.change(key, String(after))
    return after
  })

/** Commands of strings. */
export const strings: Verbs = {
  GET: verb(1, 1, (host, key = "") => host.store.string(key, (value) => value)),
  SET: verb(2, Number.POSITIVE_INFINITY, set),
  INCR: verb(1, 1, (host, key = "") => increment(host, key, 1n)),
  INCRBY: verb(2, 2, (host, key = "", by = "") => {
    const amount = integer(by)
    return amount === null ? NOT_INTEGER : increment(host, key, amount)
  })
}
