import { Effect } from "effect"
import type { Step } from "../Plan.ts"
import type { Site } from "../site/Site.ts"
import type { Fault } from "./Fault.ts"

const require = (site: Site, password: string | null) =>
  site.node.admin("MULTI").pipe(
    Effect.andThen(site.node.admin("CONFIG", "SET", "requirepass", password ?? "")),
    Effect.andThen(site.node.admin("CONFIG", "SET", "masterauth", password ?? "")),
    Effect.andThen(site.node.admin("EXEC")),
    Effect.tap(() =>
      Effect.sync(() => {
        site.password = password
      })
    )
  )

/** The password changes, the connectors are told, and everyone has to come in again. */
export const rotate: Fault = {
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    yield* require(site, `password-${step.index}`)
    site.told = site.password
    yield* site.killClients
    yield* site.serving()
  }),
  where: ({ plot }) => plot.password
}

/** The password changes, or there is one at once, and nobody is told: no connector may go on. */
export const lockOut: Fault = {
  ends: true,
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    const before = site.password
    yield* require(site, `password-${step.index}`)
    yield* Effect.sleep(step.hold / 4)
    yield* site.killClients
    yield* site.stopped("AuthRefused")
    yield* require(site, before)
  })
}
