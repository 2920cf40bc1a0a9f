import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path/posix"
import { gzipSync } from "node:zlib"
import { expect, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { home } from "../build/addresses.ts"
import { problemOf, readSite } from "../build/links.ts"
import { Browser } from "./support/Browser.ts"

it("has less than 100 kB of script, gzipped", () => {
  const scripts = globSync("**/*.js", { cwd: inject("folder") })
  const size = scripts
    .map((path) => gzipSync(readFileSync(join(inject("folder"), path))).length)
    .reduce((sum, length) => sum + length, 0)
  expect(scripts.length).toBeGreaterThan(0)
  expect(size).toBeLessThan(100_000)
})

it("has its script on the first page alone", () => {
  const site = readSite(inject("folder"))
  expect(Array.from(site).flatMap(([address, { hasScript }]) => (hasScript ? [address] : []))).toEqual([home])
})

layer(Browser.layer)("the exhibits", (it) => {
  it.effect("link to what is there", () =>
    Effect.gen(function* () {
      const { open } = yield* Browser
      const page = yield* open(home)
      const { anchors, links } = yield* Effect.promise(() =>
        page.evaluate(() => ({
          anchors: Array.from(document.querySelectorAll("[id]"), ({ id }) => id),
          links: Array.from(document.querySelectorAll("a"), (a) => a.getAttribute("href") ?? "")
        }))
      )
      const site = readSite(inject("folder"))
      expect(links.length).toBeGreaterThan(5)
      expect(links.flatMap((link) => problemOf(site, { page: home, link, loads: false }) ?? [])).toEqual([])
      // What the documentation calls an exhibit, and what the page calls its own parts.
      const named = Array.from(site.values()).flatMap(({ links }) =>
        links.flatMap(({ link, page }) => {
          const [target = "", anchor = ""] = link.split("#")
          return anchor !== "" && join(dirname(page), target) === home ? [anchor] : []
        })
      )
      const own = links.filter((link) => link.startsWith("#")).map((link) => link.slice(1))
      expect(named).not.toEqual([])
      expect([...named, ...own].filter((anchor) => !anchors.includes(anchor))).toEqual([])
    })
  )
})
