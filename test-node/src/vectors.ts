import { readFileSync } from "node:fs"

/** A byte string of the vectors: as text where it is plain ASCII, otherwise in hexadecimal. */
export type Bytes = string | { readonly hex: string }

interface Verdict {
  readonly verdict: "run" | "refuse"
  readonly fatal?: string
  readonly gotPrefix?: string
}

/** One stored value of `{emq}:version`, and what each lane of the fence makes of it. */
export interface FenceRow {
  /** `null` where the key is absent. */
  readonly stored?: Bytes | null
  /** The type of the key, where it holds no string. */
  readonly storedType?: "list" | "hash" | "set" | "zset" | "stream"
  readonly wire4: Verdict & { readonly after?: Bytes; readonly wrote?: boolean }
  readonly nativeVerb: Verdict & { readonly error?: string; readonly errorPrefix?: string }
  readonly wire6: Verdict
  readonly install: {
    readonly reply?: 0 | 1
    readonly error?: string
    readonly errorPrefix?: string
    readonly after?: Bytes
  }
}

/** The rows of one of the files in `vectors/`. */
export const vectors = <Row>(name: string): ReadonlyArray<Row> =>
  JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), "utf8"))

export const fenceRows: ReadonlyArray<FenceRow> = vectors("fence")

export const bytes = (value: Bytes): Buffer =>
  typeof value === "string" ? Buffer.from(value) : Buffer.from(value.hex, "hex")

const key = "{emq}:version"

const wrongTypes = {
  list: ["RPUSH", key, "x"],
  hash: ["HSET", key, "f", "x"],
  set: ["SADD", key, "x"],
  zset: ["ZADD", key, "1", "x"],
  stream: ["XADD", key, "1-1", "f", "x"]
} as const

/** The seed of a node that holds what a row says. */
export const seedOf = (row: FenceRow): ReadonlyArray<ReadonlyArray<string | Uint8Array>> =>
  row.storedType !== undefined
    ? [wrongTypes[row.storedType]]
    : row.stored === null || row.stored === undefined
      ? []
      : [["SET", key, bytes(row.stored)]]
