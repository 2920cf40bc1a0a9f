import { Result } from "effect"
import { ServerError } from "./CallError.ts"
import { JOB_CORE } from "./Capability.ts"
import { ClientRule, EmqVersion } from "./FatalError.ts"
import { describe } from "./fence/Stored.ts"
import { printable, printableError } from "./Printable.ts"
import type { Reply } from "./Reply.ts"
import { toText } from "./Utf8.ts"
import { MODULE_MAJOR, WIRE_6 } from "./Wire.ts"

/** What a node's module says of itself, as `EMQ.VERSION` replies it. */
export interface ModuleReport {
  /** The wire its fence requires, such as `echomq:6.0.0`. */
  readonly wire: string
  readonly module: string
  /** Its version, such as `0.1.0`. */
  readonly version: string
  readonly major: number
  /** The builder's own label, never compared; `null` where none was set. */
  readonly build: string | null
  /** The tokens of the commands it has registered. */
  readonly capabilities: ReadonlyArray<string>
}

const NAMES: ReadonlySet<string | null> = new Set([
  "wire",
  "module",
  "module_version",
  "module_major",
  "build",
  "capabilities"
])

const isName = (text: string | null): text is string => NAMES.has(text)

type Pair = readonly [Reply, Reply]

type Entries = ReadonlyMap<string, Reply>

const malformed = (problem: string): Result.Result<never, EmqVersion> =>
  Result.fail(new EmqVersion({ message: `EMQ.VERSION replied ${problem}` }))

/** A reply as text, or `null` where it is none: not a string, or not UTF-8. */
const textOf = (reply: Reply | undefined): string | null =>
  typeof reply === "string" ? reply : reply instanceof Uint8Array ? toText(reply) : null

const isPair = (reply: Reply): reply is Pair => Array.isArray(reply) && reply.length === 2

/** The entries of a map, in whichever form it came: a record, a list of pairs, or the flat list of RESP2. */
const pairsOf = (reply: Reply): Result.Result<ReadonlyArray<Pair>, EmqVersion> => {
  if (reply === null || typeof reply !== "object" || reply instanceof Uint8Array || reply instanceof Error) {
    return malformed(describe(reply))
  }
  if (!Array.isArray(reply)) return Result.succeed(Object.entries(reply))
  const list: ReadonlyArray<Reply> = reply
  if (list.every(isPair)) return Result.succeed(list)
  return list.length % 2 === 0
    ? Result.succeed(list.filter((_, i) => i % 2 === 0).map((key, i): Pair => [key, list[2 * i + 1] ?? null]))
    : malformed(`a list of odd length ${list.length}`)
}

const entriesOf = (pairs: ReadonlyArray<Pair>): Result.Result<Entries, EmqVersion> => {
  const entries = new Map<string, Reply>()
  for (const [key, value] of pairs) {
    const name = textOf(key)
    if (!isName(name)) continue
    if (entries.has(name)) return malformed(`${name} twice`)
    entries.set(name, value)
  }
  return Result.succeed(entries)
}

const entry = (entries: Entries, name: string): Result.Result<Reply, EmqVersion> => {
  const value = entries.get(name)
  return value === undefined ? malformed(`no ${name}`) : Result.succeed(value)
}

const text = (entries: Entries, name: string) =>
  Result.flatMap(entry(entries, name), (value) => {
    const decoded = textOf(value)
    return decoded === null
      ? malformed(`${name} as ${describe(value)}, which is no text`)
      : Result.succeed(decoded)
  })

const integer = (entries: Entries, name: string) =>
  Result.flatMap(entry(entries, name), (value) =>
    (typeof value === "number" || typeof value === "bigint") && Number.isSafeInteger(Number(value))
      ? Result.succeed(Number(value))
      : malformed(`${name} as ${describe(value)}, which is no exact integer`)
  )

const tokens = (entries: Entries, name: string) =>
  Result.flatMap(entry(entries, name), (value) => {
    if (!Array.isArray(value)) return malformed(`${name} as ${describe(value)}, which is no list`)
    const list = value.map((token: Reply) => textOf(token))
    if (list.every((token) => token !== null)) return Result.succeed(list)
    const stray = list.indexOf(null)
    return malformed(`${name} with ${describe(value[stray])} in place ${stray + 1}, which is no text`)
  })

/** The module's report, or what is malformed about the reply. All six entries must be there; others are ignored. */
export const decode = (reply: Reply): Result.Result<ModuleReport, EmqVersion> =>
  reply instanceof ServerError
    ? Result.fail(new EmqVersion({ message: printableError(reply) }))
    : Result.gen(function* () {
        const entries = yield* Result.flatMap(pairsOf(reply), entriesOf)
        return {
          wire: yield* text(entries, "wire"),
          module: yield* text(entries, "module"),
          version: yield* text(entries, "module_version"),
          major: yield* integer(entries, "module_major"),
          build: entries.get("build") === null ? null : yield* text(entries, "build"),
          capabilities: yield* tokens(entries, "capabilities")
        }
      })

/** The client rule: this wire, this major, and every token of the job core. Nothing else is compared. */
export const clientRule = (report: ModuleReport): Result.Result<ModuleReport, ClientRule> => {
  const missing = JOB_CORE.filter((token) => !report.capabilities.includes(token))
  const wire = report.wire === WIRE_6 ? {} : { wire: { expected: WIRE_6, got: printable(report.wire) } }
  const major = report.major === MODULE_MAJOR ? {} : { major: { expected: MODULE_MAJOR, got: report.major } }
  return missing.length === 0 && report.wire === WIRE_6 && report.major === MODULE_MAJOR
    ? Result.succeed(report)
    : Result.fail(new ClientRule({ ...wire, ...major, missing }))
}
