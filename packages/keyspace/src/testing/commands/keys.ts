import { glob } from "../Glob.ts"
import { SYNTAX, type Verbs, verb } from "../Host.ts"
import type { Store } from "../Store.ts"

const timeToLive = (store: Store, key: string, unit: number): number => {
  const at = store.expiry(key)
  return at === undefined ? -2 : at === null ? -1 : Math.round((at - store.now()) / unit)
}

/** Commands of keys, whatever they hold, and of all of them. */
export const keys: Verbs = {
  DEL: verb(
    1,
    Number.POSITIVE_INFINITY,
    ({ store }, ...keys) => keys.filter((key) => store.delete(key)).length
  ),
  EXISTS: verb(
    1,
    Number.POSITIVE_INFINITY,
    ({ store }, ...keys) => keys.filter((key) => store.type(key) !== null).length
  ),
  TYPE: verb(1, 1, ({ store }, key = "") => store.type(key) ?? "none"),
  TTL: verb(1, 1, ({ store }, key = "") => timeToLive(store, key, 1000)),
  PTTL: verb(1, 1, ({ store }, key = "") => timeToLive(store, key, 1)),
  KEYS: verb(1, 1, ({ store }, pattern = "") => store.keys.filter(glob(pattern))),
  DBSIZE: verb(0, 0, ({ store }) => store.keys.length),
  FLUSHALL: verb(0, 1, ({ store }, how = "SYNC") => {
    if (!/^a?sync$/i.test(how)) return SYNTAX
    store.clear()
    return "OK"
  })
}
