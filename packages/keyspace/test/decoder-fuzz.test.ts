import { isUtf8 } from "node:buffer"
import { assert, describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { EmqVersion } from "../src/FatalError.ts"
import { decode } from "../src/ModuleVersion.ts"
import type { Reply } from "../src/Reply.ts"
import { toBytes } from "../src/Utf8.ts"
import { shipped } from "./model/Node.ts"
import { names, replies } from "./replies.ts"

const SEED = 20_260_603

const isReport = Schema.is(
  Schema.Struct({
    wire: Schema.String,
    module: Schema.String,
    version: Schema.String,
    major: Schema.Int,
    build: Schema.NullOr(Schema.String),
    capabilities: Schema.Array(Schema.String)
  })
)

/** Decodes, and checks all that must hold whatever the reply was. Gives whether it was decoded. */
const decodes = (reply: Reply): boolean => {
  const result = decode(reply)
  if (Result.isFailure(result)) {
    expect(result.failure).toBeInstanceOf(EmqVersion)
    expect(result.failure.message.length).toBeLessThan(1_100)
    return false
  }
  assert(isReport(result.success))
  expect(Object.keys(result.success)).toHaveLength(6)
  return true
}

type Entry = readonly [Reply, Reply]

const valid = Object.entries(shipped)

const bytes = (reply: Reply): Reply => (typeof reply === "string" ? toBytes(reply) : reply)

/** One thing that is wrong, or only odd, with a list of entries. `at` is any of its places. */
const mutation: fc.Arbitrary<(entries: ReadonlyArray<Entry>, at: number) => ReadonlyArray<Entry>> = fc.oneof(
  fc.constant((entries: ReadonlyArray<Entry>, at: number) => entries.toSpliced(at, 1)),
  fc.constant((entries: ReadonlyArray<Entry>, at: number) => [...entries, entries[at] ?? [null, null]]),
  fc.constant((entries: ReadonlyArray<Entry>) => entries.toReversed()),
  fc.constant((entries: ReadonlyArray<Entry>) =>
    entries.map(
      ([name, value]): Entry => [bytes(name), Array.isArray(value) ? value.map(bytes) : bytes(value)]
    )
  ),
  replies.map(
    (value) => (entries: ReadonlyArray<Entry>, at: number) =>
      entries.map((entry, i): Entry => (i === at ? [entry[0], value] : entry))
  ),
  fc
    .oneof(names, replies)
    .map(
      (name) => (entries: ReadonlyArray<Entry>, at: number) =>
        entries.map((entry, i): Entry => (i === at ? [name, entry[1]] : entry))
    ),
  fc
    .tuple(fc.oneof(names, replies), replies)
    .map((entry) => (entries: ReadonlyArray<Entry>, at: number) => entries.toSpliced(at, 0, entry)),
  replies.map(
    (token) => (entries: ReadonlyArray<Entry>, at: number) =>
      entries.map(
        ([name, value]): Entry => [name, Array.isArray(value) ? value.toSpliced(at, 1, token) : value]
      )
  )
)

const mutated = fc
  .array(fc.tuple(mutation, fc.nat(6)), { maxLength: 3 })
  .map((steps) =>
    steps.reduce<ReadonlyArray<Entry>>(
      (entries, [mutate, at]) => mutate(entries, Math.min(at, Math.max(entries.length - 1, 0))),
      valid
    )
  )

const textOf = (reply: Reply | undefined): string | null =>
  typeof reply === "string"
    ? reply
    : reply instanceof Uint8Array && isUtf8(reply)
      ? Buffer.from(reply).toString()
      : null

/** Whether these entries are what PROTOCOL.md asks for: each of the six once, with its type. */
const isWellFormed = (entries: ReadonlyArray<Entry>): boolean => {
  const isText = (value: Reply) => textOf(value) !== null
  const types: Record<string, (value: Reply) => boolean> = {
    wire: isText,
    module: isText,
    module_version: isText,
    module_major: (value) =>
      typeof value === "number"
        ? Number.isSafeInteger(value)
        : typeof value === "bigint" && value > -(2n ** 53n) && value < 2n ** 53n,
    build: (value) => value === null || isText(value),
    capabilities: (value) => Array.isArray(value) && value.every(isText)
  }
  return Object.entries(types).every(([name, is]) => {
    const values = entries.filter(([key]) => textOf(key) === name).map(([, value]) => value)
    return values.length === 1 && values.every(is)
  })
}

describe("decode, 100,000 replies", () => {
  it("60,000 of any kind: decoded or refused with a typed error, and nothing throws", () => {
    fc.assert(
      fc.property(replies, (reply) => {
        decodes(reply)
      }),
      { seed: SEED, numRuns: 60_000 }
    )
  })

  it("40,000 near to valid: decoded exactly where each of the six is there once with its type", () => {
    let decoded = 0
    fc.assert(
      fc.property(mutated, fc.constantFrom("pairs", "flat", "record", "odd"), (entries, form) => {
        // Only where all keys are text can the entries be a record, whose later entries replace earlier ones.
        const record = Object.fromEntries(
          entries.flatMap(([key, value]) => (typeof key === "string" ? [[key, value]] : []))
        )
        const [reply, expected]: readonly [Reply, boolean] =
          form === "pairs"
            ? [entries, isWellFormed(entries)]
            : form === "flat"
              ? [entries.flat(1), isWellFormed(entries)]
              : form === "record"
                ? [record, isWellFormed(Object.entries(record))]
                : [entries.flat(1).slice(0, -1), false]
        expect(decodes(reply)).toBe(expected)
        if (expected) decoded++
      }),
      { seed: SEED, numRuns: 40_000 }
    )
    // Neither side is empty, or the property would say little.
    expect(decoded).toBeGreaterThan(8_000)
    expect(decoded).toBeLessThan(32_000)
  })
})
