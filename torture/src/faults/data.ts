import { VERSION_KEY } from "@echomq/keyspace"
import { Effect } from "effect"
import type { Step } from "../Plan.ts"
import type { Site } from "../site/Site.ts"
import type { Fault } from "./Fault.ts"

/** An operator's act after a flush, which a wire-6 node needs. Until then nothing may be written there. */
const install = Effect.fnUntraced(function* (site: Site) {
  const size = yield* site.node.admin("DBSIZE")
  if (size !== 0) site.violate(`${String(size)} keys were written to a node without a version key`)
  yield* site.node.admin("EMQ.INSTALL", 1, VERSION_KEY)
})

/**
 * Everything goes, the version key too. A connector of wire 4 was fenced when it connected and goes on; the module
 * refuses every write until there is a version key again, and stops who gets that answer.
 */
export const flush: Fault = {
  ends: true,
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    site.keep(yield* site.dump("flush"))
    if (site.plot.wire === 6) {
      yield* site.stopped("VersionFence")
      return yield* install(site)
    }
    site.unclaimed = true
    yield* Effect.sleep(step.hold / 2)
    yield* site.serving()
  })
}

/** The same, and everyone has to come in again: wire 4 claims the node anew, and wire 6 is refused. */
export const reclaim: Fault = {
  ends: true,
  strike: Effect.fnUntraced(function* (site: Site) {
    site.keep(yield* site.dump("flush"))
    yield* site.killClients
    if (site.plot.wire === 4) return yield* site.serving()
    yield* site.stopped("VersionFence")
    yield* install(site)
  })
}
