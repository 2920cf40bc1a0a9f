import { isUtf8 } from "node:buffer"
import { InexactInteger, type Reply, ServerError } from "@echomq/keyspace"
import type { Request } from "../Link.ts"
import { restore } from "./ErrorText.ts"

/** Maps that GLIDE hands over as an empty list where they are empty. */
const emptyMaps = /^(HGETALL|CONFIG GET|PUBSUB (SHARD)?NUMSUB)$/

/** Older commands whose members and scores GLIDE leaves in one flat list, as text. */
const flatScores = /^(ZRANGEBYSCORE|ZREVRANGE|ZREVRANGEBYSCORE)$/

/** What is not UTF-8 becomes U+FFFD, and looking for that costs less than a check of every reply. */
const text = (bytes: Buffer): string | Buffer => {
  const decoded = bytes.toString()
  return decoded.includes("\uFFFD") && !isUtf8(bytes) ? bytes : decoded
}

interface Entry {
  readonly key: unknown
  readonly value: unknown
}

const isMap = (list: ReadonlyArray<unknown>): boolean => {
  const [first] = list
  return typeof first === "object" && first !== null && Object.getPrototypeOf(first) === Object.prototype
}

/** Streams and sorted sets are ordered, and an object would not keep their order. */
const isOrdered = (name: string): boolean =>
  (name.startsWith("X") && name !== "XINFO") || name.startsWith("Z") || name.startsWith("BZ")

const map = (entries: ReadonlyArray<Entry>, request: Request): Reply => {
  const pairs = entries.map(({ key, value }) => [convert(key, request), convert(value, request)] as const)
  if (request.bytes || isOrdered(request.name) || pairs.some(([key]) => typeof key !== "string")) return pairs
  return Object.assign(Object.create(null), Object.fromEntries(pairs))
}

/** Scores are doubles, which every number can hold; any other whole number was an integer. */
const number = (value: number, request: Request): Reply =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && !/^(Z|BZ|GEO)/.test(request.name)
    ? new InexactInteger({ command: request.name, near: value })
    : value

const convert = (raw: unknown, request: Request): Reply => {
  if (raw instanceof Uint8Array) return request.bytes ? raw : text(raw as Buffer)
  if (raw === null || raw === undefined) return null
  switch (typeof raw) {
    case "string":
      return request.bytes ? Buffer.from(raw) : raw
    case "number":
      return number(raw, request)
    case "boolean":
      return raw ? 1 : 0
    case "bigint":
      return raw
  }
  if (Array.isArray(raw)) {
    return isMap(raw)
      ? map(raw as ReadonlyArray<Entry>, request)
      : raw.map((element) => convert(element, request))
  }
  if (raw instanceof Error) return restore(raw.message) ?? ServerError.of(raw.message)
  return map(
    Object.entries(raw as object).map(([key, value]) => ({ key, value })),
    request
  )
}

const isEmptyMap = ({ args, bytes, name }: Request): boolean =>
  !bytes && (emptyMaps.test(name) || emptyMaps.test(`${name} ${String(args[1]).toUpperCase()}`))

const hasFlatScores = ({ args, name }: Request): boolean =>
  flatScores.test(name) && args.slice(4).some((arg) => /^withscores$/i.test(String(arg)))

const score = (text: string): number => Number(text.replace("inf", "Infinity"))

const scored = (list: ReadonlyArray<unknown>, request: Request): Reply => {
  const pairs: Array<Reply> = []
  for (let i = 0; i < list.length; i += 2) {
    pairs.push([convert(list[i], request), score(String(list[i + 1]))])
  }
  return pairs
}

/** The key from which elements were taken, and these, as in the reply of ZMPOP: GLIDE makes it a map of one key. */
const popped = ([entry]: ReadonlyArray<Entry | undefined>, request: Request): Reply =>
  entry === undefined ? null : [convert(entry.key, request), convert(entry.value, request)]

/**
 * One form for replies, whatever GLIDE made of them: it turns some into maps, sets,
 * booleans and doubles by the command's name, and not where a script replied the same.
 */
export const normalise = (raw: unknown, request: Request): Reply => {
  if (typeof raw !== "object" || !Array.isArray(raw)) return convert(raw, request)
  if (raw.length === 0 && isEmptyMap(request)) return Object.create(null)
  if (hasFlatScores(request)) return scored(raw, request)
  if (request.name === "LMPOP" || request.name === "BLMPOP") return popped(raw, request)
  return convert(raw, request)
}
