import { printable } from "@echomq/keyspace"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator } from "playwright-core"
import { Exhibits } from "./support/Exhibits.ts"
import { termsIn } from "./support/terms.ts"
import { rowsOf } from "./support/vectors.ts"

type Value = string | null | { readonly hex: string }

interface Column {
  readonly verdict?: "run" | "refuse"
  readonly fatal?: string
  readonly gotPrefix?: string
  readonly error?: string
  readonly errorPrefix?: string
  readonly reply?: 0 | 1
  readonly after?: Value
  readonly wrote?: boolean
}

interface Row {
  readonly stored?: Value
  readonly storedType?: string
  readonly wire4: Column
  readonly nativeVerb: Column
  readonly wire6: Column
  readonly install: Column
}

const lanes = {
  wire4: "Wire-4 connector",
  nativeVerb: "Native write verb",
  wire6: "Wire-6 connector",
  install: "EMQ.INSTALL"
} as const

type Lane = keyof typeof lanes

const bytesOf = (value: string | { readonly hex: string }): Uint8Array =>
  typeof value === "string" ? new TextEncoder().encode(value) : Buffer.from(value.hex, "hex")

/** A value as the text field takes it: whole, where `printable` would cut it short. */
const typed = (value: string | { readonly hex: string }): string =>
  Array.from(bytesOf(value), (byte) => printable(Uint8Array.of(byte))).join("")

const shown = (value: Value): string => (value === null ? "absent" : `"${printable(bytesOf(value))}"`)

/** Chooses a value as a reader would, and has the lanes play to their ends. */
const enter = async (exhibit: Locator, { stored, storedType }: Row) => {
  const choose = (name: string) => exhibit.getByRole("radio", { name, exact: true }).check()
  // A value that is chosen already does not begin again.
  await choose("absent")
  await choose("echomq:6.0.0")
  if (storedType !== undefined) await choose("a value of another type")
  else if (stored === null || stored === undefined) await choose("absent")
  else if (stored === "echomq:4.0.0") await choose("echomq:4.0.0")
  else if (stored !== "echomq:6.0.0") {
    await choose("a string of your own")
    await exhibit.getByRole("textbox", { name: "Your own string" }).fill(typed(stored))
  }
  await exhibit.getByRole("button", { name: "To the end" }).click()
}

const verdictOf = ({ reply, verdict }: Column): string =>
  reply !== undefined ? `✓ replies ${reply}` : verdict === "run" ? "✓ runs" : "✕ refused"

/** The beginning of an error's message, as far as the vectors say. */
const messageOf = (column: Column): string =>
  column.error ??
  column.errorPrefix ??
  (column.gotPrefix === undefined ? "expected echomq:" : `found ${column.gotPrefix}`)

layer(Exhibits.layer)("fence.json, entered", (it) => {
  const rows = rowsOf<Row>("fence").map((row) => ({
    name: JSON.stringify(row.storedType ?? row.stored),
    row
  }))

  it.effect.each(rows)("$name", ({ row }) =>
    Effect.gen(function* () {
      const page = yield* Exhibits
      const exhibit = page.getByRole("region", { name: "The fence", exact: true })
      yield* Effect.promise(() => enter(exhibit, row))
      for (const lane of Object.keys(lanes) as ReadonlyArray<Lane>) {
        const column = row[lane]
        const found = yield* Effect.promise(() =>
          termsIn(exhibit.getByRole("article", { name: lanes[lane] }))
        )
        const before = row.storedType === undefined ? shown(row.stored ?? null) : "a value of another type"
        expect(found, lane).toMatchObject({
          Verdict: verdictOf(column),
          "Key now": column.after === undefined ? before : shown(column.after),
          Writes: column.wrote === true || column.reply === 1 ? "1" : "0"
        })
        if (verdictOf(column) === "✕ refused") {
          expect(found.Error, lane).toBe(column.fatal === undefined ? "ServerError" : "VersionFence")
          expect(found.Fatal, lane).toBe(column.fatal)
          expect(found.Message, lane).toContain(messageOf(column))
        }
      }
    })
  )
})
