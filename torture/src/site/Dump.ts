import { VERSION_KEY } from "@echomq/keyspace"
import type { Writes } from "./Writes.ts"

/** What a node held of the callers' writes at one moment. */
export interface Dump {
  /** Values by the ledger that they belong to. */
  readonly lists: ReadonlyMap<string, ReadonlyArray<string>>
  /** Keys that neither a caller's write nor the connectors' contract accounts for. */
  readonly strangers: ReadonlyArray<string>
}

/** What else happens to the data, in the same instant: nothing, the lists go, or everything goes. */
export type Then = "keep" | "drop" | "flush"

/** One script, so that no write comes between the reading and what follows it. */
const script = `
local keys, lists = redis.call('KEYS', '*'), {}
for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
  if redis.call('TYPE', key).ok == 'list' then
    lists[#lists + 1] = { key, redis.call('LRANGE', key, 0, -1) }
    if ARGV[2] == 'drop' then redis.call('DEL', key) end
  end
end
if ARGV[2] == 'flush' then redis.call('FLUSHALL') end
return { keys, lists }`

export const dumpCommand = (writes: Writes, then: Then) => ["EVAL", script, 0, writes.pattern, then] as const

export const parseDump = (writes: Writes, reply: unknown): Dump => {
  const [keys, lists] = reply as readonly [
    ReadonlyArray<string>,
    ReadonlyArray<readonly [string, ReadonlyArray<string>]>
  ]
  const known = new Set([VERSION_KEY, writes.probeKey, ...lists.map(([key]) => key)])
  return {
    lists: new Map(
      lists
        .filter(([key]) => key !== writes.probeKey)
        .map(([key, elements]) => [writes.ledgerOf(key) ?? key, elements.map(writes.valueOf)])
    ),
    strangers: keys.filter((key) => !known.has(key))
  }
}
