import { Effect } from "effect"
import type { Step } from "../Plan.ts"
import type { Site } from "../site/Site.ts"
import type { Fault } from "./Fault.ts"

/** The node ends and comes back with its data, and with the password of its arguments. */
const comeBack = Effect.fnUntraced(function* (site: Site, down: number, refused: boolean) {
  if (refused) yield* site.proxy.refuse
  yield* site.node.kill
  if (refused) site.proxy.close()
  site.password = site.startPassword
  site.told = site.password
  yield* Effect.sleep(down)
  yield* site.node.restart
  if (refused) yield* site.proxy.accept
  yield* site.serving()
})

export const kill: Fault = {
  strike: (site, { dice, hold }) => comeBack(site, hold, dice[0] < 0.5)
}

export const restart: Fault = {
  strike: (site) => comeBack(site, 0, false),
  where: ({ plot }) => plot.loading === 0
}

/** As `restart`, on a node that answers `LOADING` for a while. */
export const loading: Fault = {
  strike: (site) => comeBack(site, 0, false),
  where: ({ plot }) => plot.loading > 0
}

export const stop: Fault = {
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    yield* site.node.pause
    yield* Effect.sleep(step.hold)
    yield* site.node.resume
    yield* site.serving()
  })
}

export const pause: Fault = {
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    yield* site.node.admin("CLIENT", "PAUSE", step.hold, step.dice[0] < 0.5 ? "ALL" : "WRITE")
    // The admin's own commands would wait as well.
    yield* Effect.sleep(step.hold + 5)
    yield* site.serving()
  })
}

export const clientKill: Fault = {
  strike: Effect.fnUntraced(function* (site: Site) {
    yield* site.killClients
    yield* site.serving()
  })
}
