/**
 * Branded ids: fourteen bytes that name what they identify, and sort by the time they were minted.
 */
import { DateTime, Result, Schema } from "effect"
import { printable } from "./Printable.ts"
import { toBytes } from "./Utf8.ts"

/** How many bytes a branded id has. */
const LENGTH = 14

const NAMESPACE_LENGTH = 3

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const BASE = 62n

/** Numbers are below this, so that they fit a signed 64-bit integer. */
const NUMBER_LIMIT = 2n ** 63n

/** 2024-01-01T00:00:00Z, in milliseconds since the Unix epoch. */
const MINT_EPOCH = 1_704_067_200_000

/** The bits below the mint time. */
const MINT_SHIFT = 22n

const JOB = "JOB"

/**
 * Why an id is refused, in the order in which ids are checked.
 *
 * Source: PROTOCOL.md, "Job ids".
 */
export const IdRefusal = Schema.Literals(["length", "namespace", "charset", "range"])

/** Why an id is refused: one of the schema's literals. */
export type IdRefusal = typeof IdRefusal.Type

const WRONG: Readonly<Record<IdRefusal, string>> = {
  length: "it is not 14 bytes long",
  namespace: "its namespace is not three letters A to Z",
  charset: "its eleven digits are not all base 62 (0-9A-Za-z)",
  range: "its number is not from 0 to 2^63 - 1"
}

/**
 * An id that is no valid branded id, or not one of the namespace asked for.
 *
 * `id` is its printable form, at most 64 bytes of it; where a namespace and a number were to be encoded, these
 * two. `namespace` is there if the id had to be of that one.
 */
export class IdRefused extends Schema.TaggedError<IdRefused>()("IdRefused", {
  id: Schema.String,
  reason: IdRefusal,
  namespace: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `id "${this.id}" refused (${this.reason}): ${
      this.reason === "namespace" && this.namespace !== undefined
        ? `its namespace is not ${this.namespace}`
        : WRONG[this.reason]
    }`
  }
}

const isNamespace = (text: string): boolean => /^[A-Z]{3}$/.test(text)

const numberOf = (digits: string): bigint =>
  Array.from(digits).reduce((number, digit) => number * BASE + BigInt(DIGITS.indexOf(digit)), 0n)

/**
 * What is wrong with an id, or null. With a namespace, the id has to be of that one.
 */
const refusal = (id: string, namespace?: string): IdRefusal | null => {
  // The first test keeps a huge string from being encoded: a UTF-16 unit is at least one byte.
  if (id.length > LENGTH || toBytes(id).length !== LENGTH) return "length"
  const own = id.slice(0, NAMESPACE_LENGTH)
  if (!isNamespace(own) || (namespace !== undefined && own !== namespace)) return "namespace"
  const digits = id.slice(NAMESPACE_LENGTH)
  if (!/^[0-9A-Za-z]{11}$/.test(digits)) return "charset"
  return numberOf(digits) < NUMBER_LIMIT ? null : "range"
}

const refused = (id: string, reason: IdRefusal, namespace?: string): IdRefused =>
  new IdRefused({
    id: printable(id),
    reason,
    ...(namespace === undefined ? {} : { namespace })
  })

const schemaOf = (namespace?: string) =>
  Schema.String.check(
    Schema.makeFilter((id) => {
      const reason = refusal(id, namespace)
      return reason === null ? undefined : refused(id, reason, namespace).message
    })
  )

/**
 * Schema of a branded id: 14 bytes, three letters `A` to `Z` and eleven base-62 digits of a number below 2^63.
 *
 * Source: PROTOCOL.md, "Job ids".
 */
export const BrandedId = schemaOf().pipe(Schema.brand("BrandedId"))

/** A branded id that has been checked. */
export type BrandedId = typeof BrandedId.Type

/**
 * Schema of a job's id: a branded id of the namespace `JOB`.
 *
 * Source: PROTOCOL.md, "Job ids".
 */
export const JobId = schemaOf(JOB).pipe(Schema.brand("BrandedId"), Schema.brand("JobId"))

/** A job's id that has been checked. */
export type JobId = typeof JobId.Type

/**
 * Checks that a text is a branded id: its length, then its namespace, its charset and its range. Fails with
 * `IdRefused`, which names the first that is wrong.
 *
 * Source: PROTOCOL.md, "Job ids".
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { BrandedId } from "@echomq/keyspace"
 *
 * Result.isSuccess(BrandedId.check("USR0KHTOWnGLuC")) // => true
 * Result.mapError(BrandedId.check("job0KHTOWnGLuC"), (error) => error.reason) // => Failure("namespace")
 * ```
 */
export const check = (id: string): Result.Result<BrandedId, IdRefused> => {
  const reason = refusal(id)
  return reason === null ? Result.succeed(id as BrandedId) : Result.fail(refused(id, reason))
}

/**
 * Checks that a text is a job's id: as `check`, and the namespace has to be `JOB`.
 *
 * Source: PROTOCOL.md, "Job ids".
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { BrandedId } from "@echomq/keyspace"
 *
 * Result.isSuccess(BrandedId.checkJob("JOB00000000000")) // => true
 * Result.mapError(BrandedId.checkJob("USR0KHTOWnGLuC"), (error) => error.reason) // => Failure("namespace")
 * ```
 */
export const checkJob = (id: string): Result.Result<JobId, IdRefused> => {
  const reason = refusal(id, JOB)
  return reason === null ? Result.succeed(id as JobId) : Result.fail(refused(id, reason, JOB))
}

const digitsOf = (number: bigint): string =>
  Array.from(
    { length: LENGTH - NAMESPACE_LENGTH },
    (_, place) => DIGITS[Number((number / BASE ** BigInt(LENGTH - NAMESPACE_LENGTH - 1 - place)) % BASE)]
  ).join("")

/**
 * Makes the branded id of a number: the larger the number, the later the id in byte order. Fails with
 * `IdRefused`: `namespace` unless that is three letters `A` to `Z`, `range` unless the number is from 0 to 2^63 - 1.
 *
 * Source: PROTOCOL.md, "Job ids".
 *
 * @example
 * ```ts
 * import { BrandedId } from "@echomq/keyspace"
 *
 * BrandedId.encode("USR", 274557032793636864n) // => Success("USR0KHTOWnGLuC")
 * BrandedId.encode("JOB", -1n) // => Failure(IdRefused), reason "range"
 * ```
 */
export const encode = (namespace: string, number: bigint): Result.Result<BrandedId, IdRefused> => {
  if (!isNamespace(namespace)) return Result.fail(refused(`${namespace}${number}`, "namespace"))
  if (number < 0n || number >= NUMBER_LIMIT) return Result.fail(refused(`${namespace}${number}`, "range"))
  return Result.succeed(`${namespace}${digitsOf(number)}` as BrandedId)
}

/**
 * The namespace and the number of an id that has been checked.
 *
 * Source: PROTOCOL.md, "Job ids".
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { BrandedId } from "@echomq/keyspace"
 *
 * Result.map(BrandedId.check("USR0KHTOWnGLuC"), BrandedId.decode) // => Success({ namespace: "USR", number: 274557032793636864n })
 * ```
 */
export const decode = (id: BrandedId): { readonly namespace: string; readonly number: bigint } => ({
  namespace: id.slice(0, NAMESPACE_LENGTH),
  number: numberOf(id.slice(NAMESPACE_LENGTH))
})

/**
 * When an id that has been checked was minted, to the millisecond.
 *
 * Source: PROTOCOL.md, "Job ids": the number's upper bits are the milliseconds since 2024-01-01T00:00:00Z.
 *
 * @example
 * ```ts
 * import { DateTime, Result } from "effect"
 * import { BrandedId } from "@echomq/keyspace"
 *
 * Result.map(BrandedId.check("USR0NgWEfAEJfs"), (id) => DateTime.formatIso(BrandedId.mintedAt(id)))
 * // => Success("2026-06-03T18:56:10.164Z")
 * ```
 */
export const mintedAt = (id: BrandedId): DateTime.Utc =>
  DateTime.makeUnsafe(MINT_EPOCH + Number(decode(id).number >> MINT_SHIFT))
