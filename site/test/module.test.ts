import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { Exhibits } from "./support/Exhibits.ts"
import { termsIn } from "./support/terms.ts"
import { rowsOf } from "./support/vectors.ts"

interface Row {
  readonly name: string
  readonly reply?: unknown
  readonly flat?: ReadonlyArray<unknown>
  readonly error?: string
  readonly verdict: "pass" | "r14" | "emq_version" | "emq_absent" | "retry"
}

const rows = rowsOf<Row>("module-version")

/** Enters an answer as a reader would, and reads what is made of it. */
const entered = async (page: Page, how: string, field: string, text: string) => {
  const exhibit = page.getByRole("region", { name: "The module" })
  await exhibit.getByRole("radio", { name: how }).check()
  await exhibit.getByRole("textbox", { name: field }).fill(text)
  return termsIn(exhibit.getByRole("region", { name: "What the connector makes of the reply" }))
}

const verdicts: Record<Row["verdict"], Readonly<Record<string, string>>> = {
  pass: { Verdict: "✓ passes", "Next command": "GET {emq}:version" },
  retry: { Verdict: "… not ready, and asked again later" },
  r14: { Verdict: "✕ refused", Error: "ClientRule", Fatal: "r14" },
  emq_version: { Verdict: "✕ refused", Error: "EmqVersion", Fatal: "emq_version" },
  emq_absent: { Verdict: "✕ refused", Error: "EmqAbsent", Fatal: "emq_absent" }
}

layer(Exhibits.layer)("module-version.json, entered", (it) => {
  it.effect.each(rows)("$name: $verdict", ({ error, flat, reply, verdict }) =>
    Effect.gen(function* () {
      const page = yield* Exhibits
      const found = yield* Effect.promise(() =>
        error === undefined
          ? entered(page, "any reply, as JSON", "The reply as JSON", JSON.stringify(flat ?? reply))
          : entered(page, "an error", "The error's line", error)
      )
      expect(found).toMatchObject(verdicts[verdict])
    })
  )
})

layer(Exhibits.layer)("the module's form", (it) => {
  it.effect("says what differs", () =>
    Effect.gen(function* () {
      const page = yield* Exhibits
      const found = yield* Effect.promise(async () => {
        const exhibit = page.getByRole("region", { name: "The module" })
        await exhibit.getByRole("radio", { name: "a report" }).check()
        await exhibit.getByRole("textbox", { name: "wire" }).fill("echomq:7.0.0")
        await exhibit.getByRole("textbox", { name: "module_major" }).fill("1")
        await exhibit.getByRole("checkbox", { name: "requeue" }).uncheck()
        return termsIn(exhibit.getByRole("region", { name: "What the connector makes of the reply" }))
      })
      expect(found).toEqual({
        Verdict: "✕ refused",
        Error: "ClientRule",
        Fatal: "r14",
        Message: "expected wire echomq:6.0.0, found echomq:7.0.0; expected major 0, found 1; missing requeue",
        Wire: "expected echomq:6.0.0 found echomq:7.0.0",
        Major: "expected 0 found 1",
        Missing: "requeue"
      })
    })
  )

  it.effect("is the JSON to begin with, and JSON that is none is told", () =>
    Effect.gen(function* () {
      const page = yield* Exhibits
      const [json, told] = yield* Effect.promise(async () => {
        const exhibit = page.getByRole("region", { name: "The module" })
        await exhibit.getByRole("button", { name: "As shipped" }).click()
        await exhibit.getByRole("textbox", { name: "module", exact: true }).fill("another")
        await exhibit.getByRole("radio", { name: "any reply, as JSON" }).check()
        const field = exhibit.getByRole("textbox", { name: "The reply as JSON" })
        const json = await field.inputValue()
        await field.fill("{")
        const result = exhibit.getByRole("region", { name: "What the connector makes of the reply" })
        return [json, (await result.textContent()) ?? ""] as const
      })
      expect(JSON.parse(json)).toMatchObject({ module: "another", wire: "echomq:6.0.0", build: null })
      expect(told).toMatch(/^This is no JSON: /)
    })
  )
})
