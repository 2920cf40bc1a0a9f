import { printable } from "@echomq/keyspace"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Exhibits } from "./support/Exhibits.ts"
import { termsIn } from "./support/terms.ts"
import { rowsOf } from "./support/vectors.ts"

interface Row {
  readonly key: string
  readonly space: "reserve" | "queue" | "foreign"
  readonly queue: string | null
  readonly suffix: string | null
  readonly hashtag: string
  readonly slot: number
}

const spaces = {
  reserve: "the reserve, {emq}:",
  queue: "a queue's space, emq:{q}:",
  foreign: "none: a foreign key"
}

layer(Exhibits.layer)("keys.json, entered", (it) => {
  it.effect.each(rowsOf<Row>("keys"))("$key", ({ hashtag, key, queue, slot, space, suffix }) =>
    Effect.gen(function* () {
      const page = yield* Exhibits
      const { found, line, marked } = yield* Effect.promise(async () => {
        const exhibit = page.getByRole("region", { name: "The reserve map" })
        await exhibit.getByRole("textbox", { name: "Key" }).fill(key)
        const place = exhibit.getByRole("region", { name: "Where the key lives" })
        return {
          found: await termsIn(place),
          line: await place.getByRole("img").getAttribute("aria-label"),
          marked: await place.locator("mark").textContent()
        }
      })
      expect(found).toMatchObject({
        Space: spaces[space],
        Queue: queue ?? "none",
        Suffix: suffix ?? "none",
        Hashtag: printable(hashtag),
        Slot: String(slot)
      })
      expect(found.Why).toMatch(/\.$/)
      expect(line).toMatch(new RegExp(`^Slot ${slot} on a line`))
      expect(marked).toBe(printable(hashtag))
    })
  )
})
