import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { Context, Effect, Layer, type Scope } from "effect"
import { type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { inject } from "vitest"

/** Nothing of its own must go to a network, and a container has no sandbox and no graphics. */
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

const executable = Effect.suspend(() => {
  const found = (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "chromium"))
    .find((path) => existsSync(path))
  return found === undefined
    ? Effect.die(new Error("no chromium on PATH: `npm run setup -- --browser` installs Debian's"))
    : Effect.succeed(found)
})

/** The Chromium on the PATH, without a window. */
export class Browser extends Context.Service<
  Browser,
  {
    /** Opens a page of the site, by its address from the first. */
    readonly open: (page: string, options?: BrowserContextOptions) => Effect.Effect<Page, never, Scope.Scope>
  }
>()("site/Browser") {
  static readonly layer = Layer.effect(
    Browser,
    Effect.gen(function* () {
      const executablePath = yield* executable
      const browser = yield* Effect.acquireRelease(
        Effect.promise(() => chromium.launch({ executablePath, args })),
        (browser) => Effect.promise(() => browser.close())
      )
      return {
        open: Effect.fnUntraced(function* (page: string, options?: BrowserContextOptions) {
          const context = yield* Effect.acquireRelease(
            Effect.promise(() => browser.newContext(options)),
            (context) => Effect.promise(() => context.close())
          )
          const opened = yield* Effect.promise(() => context.newPage())
          yield* Effect.promise(() => opened.goto(new URL(page, inject("address")).href))
          return opened
        })
      }
    })
  )
}
