import { ServerError } from "../../CallError.ts"
import type { Binary } from "../Binary.ts"
import { type Host, integer, ranged, type Verb, type Verbs, verb, Wait } from "../Host.ts"
import type { Raw } from "../Raw.ts"

type End = "head" | "tail"

const take = (list: Array<Binary>, end: End): Binary | null =>
  (end === "head" ? list.shift() : list.pop()) ?? null

const push = (end: End): Verb =>
  verb(2, Number.POSITIVE_INFINITY, ({ store }, key = "", ...values) =>
    store.collection("list", key, (list) =>
      end === "head" ? list.unshift(...values.toReversed()) : list.push(...values)
    )
  )

const pop = (end: End): Verb =>
  verb(1, 2, ({ store }, key = "", many) => {
    if (many === undefined) return store.collection("list", key, (list) => take(list, end))
    const count = integer(many)
    if (count === null || count < 0n) return ServerError.of("ERR value is out of range, must be positive")
    return store.collection("list", key, (list) => {
      if (list.length === 0) return null
      const length = Math.min(Number(count), list.length)
      return Array.from({ length }, () => take(list, end))
    })
  })

/** The first of the lists that has an element gives it. */
const popFirst = ({ store }: Host, keys: ReadonlyArray<Binary>, end: End): Raw => {
  for (const key of keys) {
    const element = store.collection("list", key, (list) => take(list, end))
    if (element !== null) return element instanceof ServerError ? element : [key, element]
  }
  return null
}

/** In seconds, as text. */
const blockOf = (text: Binary): Wait | ServerError => {
  const seconds = text.trim() === "" ? Number.NaN : Number(text)
  if (!Number.isFinite(seconds)) return ServerError.of("ERR timeout is not a float or out of range")
  return seconds < 0 ? ServerError.of("ERR timeout is negative") : new Wait(Math.ceil(seconds * 1000))
}

const blockingPop = (end: End): Verb =>
  verb(2, Number.POSITIVE_INFINITY, (host, ...args) => {
    const block = blockOf(args.at(-1) ?? "")
    return block instanceof ServerError ? block : (popFirst(host, args.slice(0, -1), end) ?? block)
  })

/** Commands of lists. */
export const lists: Verbs = {
  LPUSH: push("head"),
  RPUSH: push("tail"),
  LPOP: pop("head"),
  RPOP: pop("tail"),
  LLEN: verb(1, 1, ({ store }, key = "") => store.collection("list", key, (list) => list.length)),
  LRANGE: verb(3, 3, ({ store }, key = "", start = "", stop = "") =>
    ranged(start, stop, (slice) => store.collection("list", key, slice))
  ),
  BLPOP: blockingPop("head"),
  BRPOP: blockingPop("tail")
}
