import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { home } from "../build/addresses.ts"
import { Browser } from "./support/Browser.ts"

layer(Browser.layer)("where the system asks for less motion", (it) => {
  it.effect("nothing is animated", () =>
    Effect.gen(function* () {
      const { open } = yield* Browser
      const page = yield* open(home, { reducedMotion: "reduce" })
      const moving = yield* Effect.promise(() =>
        page.evaluate(() =>
          Array.from(document.querySelectorAll("*"))
            .filter((element) => {
              const style = getComputedStyle(element)
              return (
                style.animationName !== "none" ||
                style.transitionDuration !== "0s" ||
                style.scrollBehavior === "smooth"
              )
            })
            .map(({ className, tagName }) => `${tagName} ${className}`)
        )
      )
      expect(moving).toEqual([])
    })
  )
})
