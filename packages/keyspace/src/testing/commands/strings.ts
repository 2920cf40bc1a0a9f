import { ServerError } from "../../CallError.ts"
import type { Binary } from "../Binary.ts"
import { type Host, integer, NOT_INTEGER, SYNTAX, unsupported, type Verbs, verb } from "../Host.ts"
import type { Raw } from "../Raw.ts"

interface SetOptions {
  condition?: "NX" | "XX"
  get?: true
  expiry?: { readonly unit: 1 | 1000; readonly amount: Binary }
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

const set = (host: Host, key = "", value = "", ...words: ReadonlyArray<Binary>): Raw => {
  const options = setOptions(words)
  if (options instanceof ServerError) return options
  const { condition, expiry, get } = options
  const amount = expiry === undefined ? 1n : integer(expiry.amount)
  if (amount === null) return NOT_INTEGER
  if (amount <= 0n) return ServerError.of("ERR invalid expire time in 'set' command")
  const write = (before: Binary | null): Raw => {
    const stands = host.store.type(key) !== null
    const met = condition === undefined || stands === (condition === "XX")
    if (met) {
      host.store.set(
        key,
        value,
        expiry === undefined ? null : host.store.now() + Number(amount) * expiry.unit
      )
    }
    return get === true ? before : met ? "OK" : null
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
