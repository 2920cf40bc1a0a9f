import type { Locator } from "playwright-core"

/** What the descriptions in a part of the page say, by their terms. */
export const termsIn = (part: Locator): Promise<Readonly<Record<string, string>>> =>
  part
    .locator("dl")
    .evaluate((list) =>
      Object.fromEntries(
        Array.from(list.querySelectorAll("dt"), (term) => [
          term.textContent ?? "",
          term.nextElementSibling?.textContent ?? ""
        ])
      )
    )
