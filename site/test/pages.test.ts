import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { BrowserContextOptions } from "playwright-core"
import { inject } from "vitest"
import { addressOf, home } from "../build/addresses.ts"
import { groups } from "../build/pages.ts"
import { violations } from "./support/axe.ts"
import { Browser } from "./support/Browser.ts"

const pages = [
  home,
  ...groups.flatMap(({ pages }) => pages.map(({ path }) => addressOf(path))),
  "api/index.html",
  "api/keyspace/index.html",
  "source/index.html",
  "source/packages/keyspace/src/fence/Wire4.ts.html"
]

const narrow = { width: 320, height: 640 }
const wide = { width: 1440, height: 900 }

const views: Record<string, BrowserContextOptions> = {
  "narrow and light": { viewport: narrow, colorScheme: "light" },
  "wide and dark": { viewport: wide, colorScheme: "dark" }
}

/** The first page is looked at in more ways, since it is made by its script. */
const moreViews: Record<string, BrowserContextOptions> = {
  "narrow and dark": { viewport: narrow, colorScheme: "dark" },
  "wide and light": { viewport: wide, colorScheme: "light" },
  "in between": { viewport: { width: 768, height: 1024 } }
}

const inOrder = Effect.fnUntraced(function* (address: string, options: BrowserContextOptions) {
  const { open } = yield* Browser
  const page = yield* open(address, options)
  expect(yield* violations(page)).toEqual([])
  const [content, screen] = yield* Effect.promise(() =>
    page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth])
  )
  expect(content, "nothing is wider than the screen").toBe(screen)
})

layer(Browser.layer)("every page is accessible and fits", (it) => {
  for (const [view, options] of Object.entries(views)) {
    it.effect.each(pages)(`${view}: %s`, (address) => inOrder(address, options))
  }
  for (const [view, options] of Object.entries(moreViews)) {
    it.effect(`${view}: ${home}`, () => inOrder(home, options))
  }
})

layer(Browser.layer)("the first page", (it) => {
  it.effect("asks no other host for anything, nor the server for what is not there", () =>
    Effect.gen(function* () {
      const { open } = yield* Browser
      const page = yield* open(home)
      const loaded: Array<string> = []
      const said: Array<string> = []
      page.on("request", (request) => loaded.push(request.url()))
      page.on("console", (message) => said.push(message.text()))
      page.on("pageerror", (error) => said.push(error.message))
      yield* Effect.promise(() => page.reload({ waitUntil: "networkidle" }))
      expect(loaded.length).toBeGreaterThan(2)
      expect(loaded.filter((url) => !url.startsWith(inject("address")))).toEqual([])
      expect(said).toEqual([])
    })
  )
})
