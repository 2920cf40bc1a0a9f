import { Effect } from "effect"
import type { Step } from "../Plan.ts"
import type { Direction, Faults } from "../proxy/index.ts"
import type { Site } from "../site/Site.ts"
import type { Fault } from "./Fault.ts"

const directions = (dice: number): ReadonlyArray<Direction> =>
  dice < 0.35 ? ["up"] : dice < 0.7 ? ["down"] : ["up", "down"]

/** A state of the network that lasts for a while, in one direction or both. */
const state = (faults: (step: Step) => Partial<Faults>): Fault => ({
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    for (const direction of directions(step.dice[0])) site.proxy.set(direction, faults(step))
    yield* Effect.sleep(step.hold)
    site.proxy.heal()
    yield* site.serving()
  })
})

/** Something that happens to all connections at once. */
const event = (happen: (site: Site) => void): Fault => ({
  strike: Effect.fnUntraced(function* (site: Site) {
    happen(site)
    yield* site.serving()
  })
})

export const delay = state(({ dice }) => ({ delay: 1 + Math.floor(dice[1] ** 3 * 1_500) }))

export const throttle = state(({ dice }) => ({ rate: 500 + Math.floor(dice[1] ** 2 * 100_000) }))

/** What a black hole may last beyond the bounds in which it must be noticed before nobody may take it for a connection. */
const NOTICED_SLACK = 400

export const hole: Fault = {
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    for (const direction of directions(step.dice[0])) site.proxy.set(direction, { hole: true })
    const { heartbeat, linkTimeout } = site.plot.bounds
    const from = site.clock.now
    yield* Effect.sleep(step.hold * 1.4)
    if (site.clock.now - from > heartbeat + linkTimeout + NOTICED_SLACK) {
      for (const { connector, name } of site.alive) {
        const { _tag } = yield* connector.status
        if (_tag === "Serving") site.violate(`${name} has not noticed a black hole`)
      }
    }
    site.proxy.heal()
    yield* site.serving()
  })
}

/** Every connection, those to come included, so that boots and fences are cut too, at every byte. */
export const cut = state(({ dice }) => ({ cutAfter: Math.floor(dice[1] ** 3 * 4_000) }))

export const reset = event(({ proxy }) => proxy.reset())

export const close = event(({ proxy }) => proxy.close())

export const refuse: Fault = {
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    yield* site.proxy.refuse
    site.proxy.reset()
    yield* Effect.sleep(step.hold)
    yield* site.proxy.accept
    yield* site.serving()
  })
}
