import { IDENTITY, VERSION_KEY } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { Effect } from "effect"
import type { Step } from "../Plan.ts"
import type { Site } from "../site/Site.ts"
import type { Fault } from "./Fault.ts"
import { type Foreign, foreign, nodeOptions } from "./foreign.ts"

/** Nothing may be on a foreign node but what it was made with, and no write may have been carried out there. */
const untouched = Effect.fnUntraced(function* (site: Site, node: TestNode["Service"], { seed }: Foreign) {
  const keys = (yield* node.admin("KEYS", "*")) as ReadonlyArray<string>
  const writes = yield* node.writes
  if (keys.length !== seed.length || writes !== 0) {
    site.violate(`${writes} unfenced writes on a foreign node, which holds ${keys.join(" ")}`)
  }
})

/** The address leads to another node: connections go down, and the next ones come out there. */
export const swap: Fault = {
  ends: true,
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    const other = foreign(site, step.dice[0])
    const node = yield* TestNode.make(nodeOptions(site, other))
    site.proxy.route(node)
    if (step.dice[1] < 0.5) site.proxy.reset()
    else site.proxy.close()
    yield* site.stopped(other.tag)
    yield* untouched(site, node, other)
    site.proxy.route(site.node)
  })
}

/** The node dies, and another stands in its place; later a fresh one of its own kind does. */
export const replace: Fault = {
  ends: true,
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    const other = foreign(site, step.dice[0])
    yield* site.seal()
    yield* site.node.replace(nodeOptions(site, other))
    yield* site.proxy.accept
    yield* site.stopped(other.tag)
    yield* untouched(site, site.node, other)
    yield* site.renew()
  })
}

/** The node dies, and an empty one stands in its place. Wire 4 claims it and goes on; wire 6 is refused. */
export const replaceEmpty: Fault = {
  ends: true,
  strike: Effect.fnUntraced(function* (site: Site) {
    yield* site.seal()
    if (site.plot.wire === 4) {
      yield* site.renew()
      yield* site.proxy.accept
      return yield* site.serving()
    }
    const { seed: _, ...empty } = site.nodeOptions
    yield* site.node.replace(empty)
    yield* site.proxy.accept
    yield* site.stopped("VersionFence")
    const size = yield* site.node.admin("DBSIZE")
    if (size !== 0) site.violate(`${String(size)} keys on an empty node`)
    yield* site.renew()
  })
}

/** The value of the node itself changes, and in the same instant everyone has to come in again. */
export const revalue: Fault = {
  ends: true,
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    const { node } = site
    const value = step.dice[0] < 0.5 ? IDENTITY[site.plot.wire === 4 ? 6 : 4] : "echomq:5.0.0"
    yield* node.admin("MULTI")
    yield* node.admin("SET", VERSION_KEY, value)
    yield* node.admin("CONFIG", "RESETSTAT")
    yield* site.killClients
    yield* node.admin("EXEC")
    yield* site.stopped("VersionFence")
    const writes = yield* node.writes
    if (writes !== 0) site.violate(`${writes} writes after the value of the node changed`)
    yield* node.admin("SET", VERSION_KEY, IDENTITY[site.plot.wire])
  })
}
