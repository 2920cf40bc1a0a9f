import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { home } from "../build/addresses.ts"
import { Browser } from "./support/Browser.ts"

/** Presses Tab until the element that has the focus has this name. */
const tabTo = async (page: Page, name: RegExp) => {
  for (let presses = 0; presses < 200; presses++) {
    await page.keyboard.press("Tab")
    const focused = page.locator(":focus")
    const [label, text] = await focused.evaluate((element) => [
      element.getAttribute("aria-label") ??
        (element instanceof HTMLInputElement ? (element.labels?.[0]?.textContent ?? "") : ""),
      element.textContent ?? ""
    ])
    if (name.test(`${label}${text}`.trim())) return
  }
  throw new Error(`Tab does not reach ${name}`)
}

layer(Browser.layer)("by keyboard alone", (it) => {
  it.effect("a reader plays the fence with another value", () =>
    Effect.gen(function* () {
      const { open } = yield* Browser
      const page = yield* open(home)
      const told = yield* Effect.promise(async () => {
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await tabTo(page, /^absent$/)
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("ArrowRight")
        await tabTo(page, /^To the end$/)
        await page.keyboard.press("Space")
        return page.getByRole("region", { name: "The fence", exact: true }).getByRole("status").textContent()
      })
      expect(told).toMatch(/Wire-4 connector: refused; Native write verb: runs; Wire-6 connector: runs/)
    })
  )

  it.effect("every control of the page is reached, and seen to be", () =>
    Effect.gen(function* () {
      const { open } = yield* Browser
      const page = yield* open(home)
      const unseen = yield* Effect.promise(async () => {
        const wanted = await page.evaluate(
          () =>
            // Of radios, Tab reaches the one that is checked; the arrows reach the others.
            Array.from(
              document.querySelectorAll(
                "a[href], button, select, textarea, summary, [tabindex='0'], input:not([type=radio]), input[type=radio]:checked"
              )
            ).filter((element) => element.checkVisibility()).length
        )
        const unseen: Array<string> = []
        for (let i = 0; i < wanted; i++) {
          await page.keyboard.press("Tab")
          const [tag, outline, reached] = await page.evaluate(() => {
            const element = document.activeElement ?? document.body
            const shown = element.closest(".choice label") ?? element
            element.setAttribute("data-reached", "")
            const { outlineStyle } = getComputedStyle(shown)
            return [element.outerHTML.slice(0, 80), outlineStyle, element !== document.body]
          })
          if (!reached || outline === "none") unseen.push(String(tag))
        }
        const reached = await page.evaluate(() => document.querySelectorAll("[data-reached]").length)
        return { unseen, missed: wanted - reached }
      })
      expect(unseen).toEqual({ unseen: [], missed: 0 })
    })
  )
})
