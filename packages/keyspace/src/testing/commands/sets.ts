import { ServerError } from "../../CallError.ts"
import type { Binary } from "../Binary.ts"
import { pairs, ranged, SYNTAX, unsupported, type Verbs, verb } from "../Host.ts"

const scoreOf = (text: Binary): number | null => {
  const infinite = /^([+-]?)inf(inity)?$/i.exec(text)
  if (infinite !== null) return infinite[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  const score = text.trim() === "" ? Number.NaN : Number(text)
  return Number.isNaN(score) ? null : score
}

/** By score, and members of one score by their bytes. */
const ordered = (zset: ReadonlyMap<Binary, number>): ReadonlyArray<Binary> =>
  Array.from(zset)
    .toSorted(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x < y ? -1 : 1))
    .map(([member]) => member)

/** Commands of sets, sorted and not. */
export const sets: Verbs = {
  SADD: verb(2, Number.POSITIVE_INFINITY, ({ store }, key = "", ...members) =>
    store.collection("set", key, (set) => {
      const before = set.size
      for (const member of members) set.add(member)
      return set.size - before
    })
  ),
  SMEMBERS: verb(1, 1, ({ store }, key = "") => store.collection("set", key, (set) => [...set])),
  ZADD: verb(3, Number.POSITIVE_INFINITY, ({ store }, key = "", ...args) => {
    const [first = ""] = args
    if (/^(NX|XX|GT|LT|CH|INCR)$/i.test(first)) return unsupported("ZADD", first)
    if (args.length % 2 === 1) return SYNTAX
    const scored = pairs(args).map(([score, member]) => [scoreOf(score), member] as const)
    if (scored.some(([score]) => score === null)) return ServerError.of("ERR value is not a valid float")
    return store.collection("zset", key, (zset) => {
      const before = zset.size
      for (const [score, member] of scored) zset.set(member, score ?? 0)
      return zset.size - before
    })
  }),
  ZRANGE: verb(3, Number.POSITIVE_INFINITY, ({ store }, key = "", start = "", stop = "", option, ...more) => {
    const other = [option ?? "", ...more].find((word) => /^(BYSCORE|BYLEX|REV|LIMIT)$/i.test(word))
    if (other !== undefined) return unsupported("ZRANGE", other)
    if ((option !== undefined && !/^withscores$/i.test(option)) || more.length > 0) return SYNTAX
    return ranged(start, stop, (slice) =>
      store.collection("zset", key, (zset) => {
        const members = slice(ordered(zset))
        return option === undefined ? members : members.map((member) => [member, zset.get(member) ?? 0])
      })
    )
  })
}
