import { Effect } from "effect"
import type { Step } from "../Plan.ts"
import type { Site } from "../site/Site.ts"
import type { Fault } from "./Fault.ts"

export const maxmemory: Fault = {
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    const used = Number(/^used_memory:(\d+)/m.exec(String(yield* site.node.admin("INFO", "memory")))?.[1])
    yield* site.node.admin("CONFIG", "SET", "maxmemory", used + Math.floor(step.dice[0] * 300_000))
    yield* Effect.sleep(step.hold)
    yield* site.node.admin("CONFIG", "SET", "maxmemory", 0)
    yield* site.serving()
  })
}

/** Room for the admin and perhaps one connector, and then everyone has to come in again. */
export const maxclients: Fault = {
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    yield* site.node.admin("CONFIG", "SET", "maxclients", step.dice[0] < 0.5 ? 1 : 2)
    yield* site.killClients
    yield* Effect.sleep(step.hold)
    yield* site.node.admin("CONFIG", "SET", "maxclients", 10_000)
    yield* site.serving()
  })
}
