import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import recording from "../src/reconnect/recording.json" with { type: "json" }
import { Exhibits } from "./support/Exhibits.ts"

layer(Exhibits.layer)("the recording", (it) => {
  it.effect("shows the writes that landed, up to the time that is chosen, and tells them in words", () =>
    Effect.gen(function* () {
      const page = yield* Exhibits
      const [foreign] = recording.scenes
      const exhibit = page.getByRole("region", { name: "Reconnect" })
      const counts = (name: string) =>
        exhibit.getByRole("row", { name }).first().getByRole("cell").allTextContents()
      const { after, before, summary, words } = yield* Effect.promise(async () => {
        await exhibit.getByRole("radio", { name: "one that holds echomq:6.0.0" }).check()
        const after = [await counts("GLIDE as it comes"), await counts("The pinned link")]
        await exhibit.getByRole("slider", { name: "Time, in ms from the kill" }).fill("0")
        const before = [await counts("GLIDE as it comes"), await counts("The pinned link")]
        await exhibit.getByText("The same in words").click()
        return {
          after,
          before,
          summary: await exhibit.getByRole("status").textContent(),
          words: await exhibit.getByRole("region", { name: "The pinned link, in words" }).textContent()
        }
      })
      const acknowledged = foreign?.glide.runs
        .filter(({ outcome }) => outcome === "second")
        .reduce((sum, { calls }) => sum + calls.length, 0)
      expect(foreign).toMatchObject({
        holds: "echomq:6.0.0",
        connector: { landed: 0, keys: ["{emq}:version"] }
      })
      expect(acknowledged).toBeGreaterThan(0)
      expect(after.map(([, , landed]) => landed)).toEqual([String(acknowledged), "0"])
      expect(before.map(([, failed, landed]) => [failed, landed])).toEqual([
        ["0", "0"],
        ["0", "0"]
      ])
      expect(summary).toContain(`${foreign?.glide.landed} writes landed on a node that holds echomq:6.0.0`)
      expect(summary).toContain("The connector wrote nothing there")
      expect(words).toContain("the connector is Stopped")
    })
  )
})
