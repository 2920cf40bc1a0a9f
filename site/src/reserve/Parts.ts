import { Key } from "@echomq/keyspace"

/** A stretch of a key. */
export interface Part {
  readonly bytes: Uint8Array
  /** Whether the key's slot is made from it. */
  readonly hashed: boolean
}

/** A key, cut where its hashtag begins and ends: behind the first `{`, unless the tag is the whole key. */
export const partsOf = (key: Uint8Array): ReadonlyArray<Part> => {
  const { length } = Key.hashtag(key)
  if (length === key.length) return [{ bytes: key, hashed: true }]
  const from = key.indexOf("{".charCodeAt(0)) + 1
  return [
    { bytes: key.subarray(0, from), hashed: false },
    { bytes: key.subarray(from, from + length), hashed: true },
    { bytes: key.subarray(from + length), hashed: false }
  ]
}
