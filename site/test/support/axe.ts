import { createRequire } from "node:module"
import type { AxeResults } from "axe-core"
import { Effect } from "effect"
import type { Page } from "playwright-core"

const script = createRequire(import.meta.url).resolve("axe-core")

/** What axe-core finds wrong with a page, each with the elements that it found it on. */
export const violations = (page: Page) =>
  Effect.promise(async () => {
    await page.addScriptTag({ path: script })
    const results: AxeResults = await page.evaluate("axe.run()")
    return results.violations.map(
      ({ help, id, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`
    )
  })
