/**
 * The key grammar: how a key is built, and in which space one lives.
 */
import { Result, Schema } from "effect"
import { checkJob, IdRefusal } from "./BrandedId.ts"
import { printable } from "./Printable.ts"
import { hashtag, slot } from "./Slot.ts"
import { toBytes, toText } from "./Utf8.ts"
import { RESERVE, VERSION_KEY } from "./Wire.ts"

export { hashtag, SLOTS, slot } from "./Slot.ts"

const QUEUE_OPEN = "emq:{"
const QUEUE_CLOSE = "}:"
const JOB_TYPE = "job:"

const PARTS = { queue: "queue name", type: "key type", suffix: "reserve suffix", id: "job id" } as const

const REASONS = {
  empty: "it is empty",
  brace: "it has a { or }, which would change the key's hashtag",
  surrogate: "it has a lone surrogate, which UTF-8 cannot express, so that two names would share one key",
  length: "it is not 14 bytes long",
  namespace: "its namespace is not JOB",
  charset: "its eleven digits are not all base 62 (0-9A-Za-z)",
  range: "its number is not below 2^63"
} as const

/**
 * A key that is not built, because a part of it is not valid.
 *
 * `value` is the printable form of that part, at most 64 bytes of it. For a job's id, `reason` is that of `IdRefused`.
 *
 * Source: PROTOCOL.md, "Names" and "Job ids".
 */
export class KeyRefused extends Schema.TaggedError<KeyRefused>()("KeyRefused", {
  part: Schema.Literals(["queue", "type", "suffix", "id"]),
  reason: Schema.Literals(["empty", "brace", "surrogate", ...IdRefusal.literals]),
  value: Schema.String
}) {
  override get message(): string {
    return `${PARTS[this.part]} "${this.value}" refused (${this.reason}): ${REASONS[this.reason]}`
  }
}

type Checked = Result.Result<string, KeyRefused>

const refuse = (part: KeyRefused["part"], reason: KeyRefused["reason"], value: string): Checked =>
  Result.fail(new KeyRefused({ part, reason, value: printable(value) }))

const checkText = (part: "queue" | "type" | "suffix", value: string): Checked =>
  value === ""
    ? refuse(part, "empty", value)
    : value.isWellFormed()
      ? Result.succeed(value)
      : refuse(part, "surrogate", value)

const checkQueue = (queue: string): Checked =>
  /[{}]/.test(queue) ? refuse("queue", "brace", queue) : checkText("queue", queue)

/**
 * The key of one of a queue's collections: `emq:{q}:<type>`. All keys of a queue share its hashtag, and so a slot.
 *
 * Fails with `KeyRefused` if the queue name is empty or has a `{` or `}`, if the type is empty, or if either has
 * a lone surrogate. For a job row use `jobKey`, which checks the id.
 *
 * Source: PROTOCOL.md, "Names".
 *
 * @example
 * ```ts
 * import { Key } from "@echomq/keyspace"
 *
 * Key.queueKey("orders", "pending") // => Success("emq:{orders}:pending")
 * Key.queueKey("{orders}", "pending") // => Failure(KeyRefused), part "queue", reason "brace"
 * ```
 */
export const queueKey = (queue: string, type: string): Result.Result<string, KeyRefused> =>
  Result.flatMap(checkQueue(queue), () =>
    Result.map(checkText("type", type), () => `${QUEUE_OPEN}${queue}${QUEUE_CLOSE}${type}`)
  )

/**
 * The key of a job's row: `emq:{q}:job:<id>`.
 *
 * Fails with `KeyRefused` if the queue name is refused by `queueKey`, or if the id is not a valid one of the
 * namespace `JOB`.
 *
 * Source: PROTOCOL.md, "Names" and "Job ids".
 *
 * @example
 * ```ts
 * import { Key } from "@echomq/keyspace"
 *
 * Key.jobKey("orders", "JOB00000000000") // => Success("emq:{orders}:job:JOB00000000000")
 * Key.jobKey("orders", "42") // => Failure(KeyRefused), part "id", reason "length"
 * ```
 */
export const jobKey = (queue: string, id: string): Result.Result<string, KeyRefused> =>
  Result.flatMap(checkQueue(queue), () =>
    Result.match(checkJob(id), {
      onSuccess: (job) => queueKey(queue, `${JOB_TYPE}${job}`),
      onFailure: ({ reason }) => refuse("id", reason, id)
    })
  )

/**
 * The key of a cross-queue record: `{emq}:<suffix>`.
 *
 * Fails with `KeyRefused` if the suffix is empty or has a lone surrogate.
 *
 * Source: PROTOCOL.md, "Names".
 *
 * @example
 * ```ts
 * import { Key } from "@echomq/keyspace"
 *
 * Key.reserve("version") // => Success("{emq}:version")
 * ```
 */
export const reserve = (suffix: string): Result.Result<string, KeyRefused> =>
  Result.map(checkText("suffix", suffix), () => `${RESERVE}${suffix}`)

/**
 * What a key says: the space it lives in, and in there its queue and its suffix.
 *
 * `Part` is `string` for a key given as text. A key given as bytes may have parts that are not UTF-8: such a part
 * is these bytes, as they are, and shares memory with the key.
 */
export type ParsedKey<Part extends string | Uint8Array = string> =
  | { readonly space: "reserve"; readonly queue: null; readonly suffix: Part }
  | { readonly space: "queue"; readonly queue: Part; readonly suffix: Part }
  | { readonly space: "foreign"; readonly queue: null; readonly suffix: null }

/**
 * Where a key lives: what it says, what decides its cluster slot, and one sentence saying why it is there.
 */
export type Location<Part extends string | Uint8Array = string> = ParsedKey<Part> & {
  /** What the slot is made from: what stands in the braces, or the whole key. */
  readonly hashtag: Part
  /** From 0 to 16383. */
  readonly slot: number
  /** One sentence, in ASCII and bounded, whatever the key is. */
  readonly why: string
}

/** A part as text, or as the bytes that it is where they are no text. */
const part = (bytes: Uint8Array): string | Uint8Array => toText(bytes) ?? bytes

const startsWith = (bytes: Uint8Array, prefix: string): boolean =>
  toBytes(prefix).every((byte, at) => byte === bytes[at])

const OPEN = 0x7b
const CLOSE = 0x7d
const COLON = 0x3a

type Parsed = ParsedKey<string | Uint8Array>

const inReserve = (suffix: Uint8Array): readonly [Parsed, string] => {
  const text = part(suffix)
  const what =
    `${RESERVE}${text}` === VERSION_KEY
      ? "the version key (the fence): it describes the whole wire, not one queue"
      : "a cross-queue record, which belongs to no one queue"
  return [
    { space: "reserve", queue: null, suffix: text },
    `It is ${what}, so it lives in the reserve ${RESERVE}, apart from every queue's keys.`
  ]
}

const inQueue = (queue: Uint8Array, suffix: Uint8Array): readonly [Parsed, string] => {
  const name = printable(queue)
  const what = startsWith(suffix, JOB_TYPE) ? "a job row" : `the key of type ${printable(suffix)}`
  return [
    { space: "queue", queue: part(queue), suffix: part(suffix) },
    `It is ${what} of one queue, ${name}, so it lives in that queue's space emq:{${name}}: and shares the queue's hashtag and slot.`
  ]
}

const foreign = (why: string): readonly [Parsed, string] => [
  { space: "foreign", queue: null, suffix: null },
  `${why}, so it is no key of EchoMQ.`
]

/** The one reading of a key: what it says and why. All delimiters are ASCII, so bytes decide. */
const read = (key: Uint8Array): readonly [Parsed, string] => {
  if (startsWith(key, RESERVE)) {
    const suffix = key.subarray(RESERVE.length)
    return suffix.length === 0
      ? foreign(`It is the bare reserve ${RESERVE} without a suffix`)
      : inReserve(suffix)
  }
  if (!startsWith(key, QUEUE_OPEN))
    return foreign(`It begins neither with the reserve ${RESERVE} nor with emq:{q}:`)
  const close = key.indexOf(CLOSE)
  if (close === -1) return foreign("Its queue name has no closing }")
  const queue = key.subarray(QUEUE_OPEN.length, close)
  if (queue.length === 0) return foreign("Its queue name is empty")
  if (queue.includes(OPEN)) return foreign("Its queue name has a {")
  if (key[close + 1] !== COLON) return foreign("The } of its queue name is followed by no :")
  const suffix = key.subarray(close + QUEUE_CLOSE.length)
  return suffix.length === 0 ? foreign("Its key type is empty") : inQueue(queue, suffix)
}

/**
 * Reads a key: its space, and in there its queue and suffix. Any key can be read; one that is not built after the
 * grammar is `foreign`.
 *
 * A string counts as its UTF-8.
 *
 * Source: PROTOCOL.md, "Names".
 *
 * @example
 * ```ts
 * import { Key } from "@echomq/keyspace"
 *
 * Key.parse("emq:{orders}:pending") // => { space: "queue", queue: "orders", suffix: "pending" }
 * Key.parse("bull:orders:wait") // => { space: "foreign", queue: null, suffix: null }
 * ```
 */
export const parse: {
  (key: string): ParsedKey
  (key: string | Uint8Array): ParsedKey<string | Uint8Array>
} = (key: string | Uint8Array) => read(toBytes(key))[0] as ParsedKey

/**
 * Says where a key lives and why, with its hashtag and cluster slot. Any key can be located.
 *
 * A string counts as its UTF-8.
 *
 * Source: PROTOCOL.md, "Names", and the Valkey cluster specification.
 *
 * @example
 * ```ts
 * import { Key } from "@echomq/keyspace"
 *
 * Key.locate("{emq}:version")
 * // => { space: "reserve", queue: null, suffix: "version", hashtag: "emq", slot: 9051, why: "It is the version key …" }
 * ```
 */
export const locate: {
  (key: string): Location
  (key: string | Uint8Array): Location<string | Uint8Array>
} = (key: string | Uint8Array) => {
  const bytes = toBytes(key)
  const [parsed, why] = read(bytes)
  return { ...(parsed as ParsedKey), hashtag: part(hashtag(bytes)) as string, slot: slot(bytes), why }
}
