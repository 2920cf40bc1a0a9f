import { pairs, type Verbs, verb, wrongArity } from "../Host.ts"

/** Commands of hashes. */
export const hashes: Verbs = {
  HSET: verb(3, Number.POSITIVE_INFINITY, ({ store }, key = "", ...fields) =>
    fields.length % 2 === 1
      ? wrongArity("HSET")
      : store.collection("hash", key, (hash) => {
          const before = hash.size
          for (const [field, value] of pairs(fields)) hash.set(field, value)
          return hash.size - before
        })
  ),
  HGET: verb(2, 2, ({ store }, key = "", field = "") =>
    store.collection("hash", key, (hash) => hash.get(field) ?? null)
  ),
  HGETALL: verb(1, 1, ({ store }, key = "") => store.collection("hash", key, (hash) => new Map(hash))),
  HDEL: verb(2, Number.POSITIVE_INFINITY, ({ store }, key = "", ...fields) =>
    store.collection("hash", key, (hash) => fields.filter((field) => hash.delete(field)).length)
  )
}
