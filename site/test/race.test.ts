import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator } from "playwright-core"
import { Exhibits } from "./support/Exhibits.ts"
import { termsIn } from "./support/terms.ts"

const invariants = ["at most one write of the key", "all that run agree with the key"]

const held = (exhibit: Locator) =>
  exhibit
    .getByRole("list", { name: "What must hold after every turn" })
    .getByRole("listitem")
    .allTextContents()

const log = (exhibit: Locator) => exhibit.getByRole("list", { name: "Log of the race" }).textContent()

layer(Exhibits.layer)("the race", (it) => {
  it.effect("lands one claim, whoever is first", () =>
    Effect.gen(function* () {
      const page = yield* Exhibits
      const exhibit = page.getByRole("region", { name: "The race" })
      const turns = async (names: ReadonlyArray<string>) => {
        await exhibit.getByRole("button", { name: "Reset" }).click({ force: true })
        for (const name of names) await exhibit.getByRole("button", { name: `Step: ${name}` }).click()
        return termsIn(exhibit)
      }
      const a = "Wire-4 connector A"
      const b = "Wire-4 connector B"
      const c = "EMQ.INSTALL C"
      // Both read an absent key; the first to claim it decides for both, and the operator is too late.
      expect(yield* Effect.promise(() => turns([a, b, b, a, c, a, b]))).toMatchObject({
        "Key now": '"echomq:4.0.0"',
        Passed: expect.stringContaining("A runs"),
        Refused: expect.stringContaining("C"),
        Undecided: "none",
        Writes: "1"
      })
      // The operator comes between the reading and the claim.
      expect(yield* Effect.promise(() => turns([a, b, c, a, b, b, a]))).toMatchObject({
        "Key now": '"echomq:6.0.0"',
        Passed: expect.stringContaining("C replies 1"),
        Refused: expect.stringMatching(/A.*B/),
        Undecided: "none",
        Writes: "1"
      })
    })
  )

  it.effect("holds for five parties in any order, and a seed gives its order again", () =>
    Effect.gen(function* () {
      const page = yield* Exhibits
      const exhibit = page.getByRole("region", { name: "The race" })
      const [first, second] = yield* Effect.promise(async () => {
        await exhibit.getByRole("combobox", { name: "How many" }).selectOption("5")
        await exhibit.getByRole("combobox", { name: "Party D" }).selectOption("Wire-6 connector")
        await exhibit.getByRole("combobox", { name: "Party E" }).selectOption("Native write verb")
        const logs: Array<string | null> = []
        for (const seed of ["7", "8", "9", "10", "11", "7"]) {
          await exhibit.getByRole("spinbutton", { name: "Seed" }).fill(seed)
          await exhibit.getByRole("button", { name: "Shuffle" }).click()
          const { Undecided, Writes } = await termsIn(exhibit)
          expect({ Undecided, Writes }).toEqual({ Undecided: "none", Writes: "1" })
          for (const [i, text] of (await held(exhibit)).entries()) expect(text).toContain(invariants[i])
          logs.push(await log(exhibit))
        }
        return [logs[0], logs.at(-1)]
      })
      expect(first).not.toBe("")
      expect(second).toBe(first)
    })
  )
})
