import { Context, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { home } from "../../build/addresses.ts"
import { Browser } from "./Browser.ts"

/** The page of exhibits, opened once for tests that each enter something of their own. */
export class Exhibits extends Context.Service<Exhibits, Page>()("site/Exhibits") {
  static readonly layer = Layer.effect(
    Exhibits,
    Effect.flatMap(Browser, ({ open }) => open(home))
  ).pipe(Layer.provide(Browser.layer))
}
