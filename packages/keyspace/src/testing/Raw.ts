import { InexactInteger, ServerError } from "../CallError.ts"
import type { Reply } from "../Reply.ts"
import { type Binary, binary, bytesOf, textOf } from "./Binary.ts"

/** What the node replies, before a caller's wishes shape it. */
export type Raw =
  | null
  | Binary
  | number
  | bigint
  | ServerError
  | InexactInteger
  | ReadonlyArray<Raw>
  | ReadonlyMap<Binary, Raw>

/** What came of commands sent together: their replies, or the error with which a transaction was discarded. */
export type Raws = ReadonlyArray<Raw> | ServerError

/** How a reply is wanted, and of which command it is. */
export interface Form {
  readonly command: string
  readonly bytes: boolean
}

const isList = (raw: Raw): raw is ReadonlyArray<Raw> => Array.isArray(raw)

const isMap = (raw: Raw): raw is ReadonlyMap<Binary, Raw> => raw instanceof Map

/** A reply in the one form that connectors hand over. */
export const decode = (raw: Raw, form: Form): Reply => {
  if (typeof raw === "string") return form.bytes ? bytesOf(raw) : textOf(raw)
  if (typeof raw === "bigint") {
    const near = Number(raw)
    return Number.isSafeInteger(near) ? near : new InexactInteger({ command: form.command, near })
  }
  if (isList(raw)) return raw.map((element) => decode(element, form))
  if (!isMap(raw)) return raw
  const pairs = Array.from(raw, ([key, value]) => [decode(key, form), decode(value, form)] as const)
  return form.bytes || pairs.some(([key]) => typeof key !== "string")
    ? pairs
    : Object.assign(Object.create(null), Object.fromEntries(pairs))
}

const isRecord = (reply: Reply): reply is { readonly [key: string]: Reply } =>
  reply !== null && typeof reply === "object" && !Array.isArray(reply) && !(reply instanceof Error)

/** What a twin replied. A script's numbers are cut to integers, as the server does. */
export const encode = (reply: Reply): Raw => {
  if (typeof reply === "string" || reply instanceof Uint8Array) return binary(reply)
  if (typeof reply === "number") return Math.trunc(reply)
  if (reply === null || typeof reply !== "object") return reply
  if (reply instanceof ServerError || reply instanceof InexactInteger) return reply
  if (isRecord(reply))
    return new Map(Object.entries(reply).map(([key, value]) => [binary(key), encode(value)]))
  return reply.map(encode)
}
