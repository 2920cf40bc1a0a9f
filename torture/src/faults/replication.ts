import { TestNode } from "@echomq/test-node"
import { Effect } from "effect"
import type { Step } from "../Plan.ts"
import type { Site } from "../site/Site.ts"
import type { Fault } from "./Fault.ts"

type Node = TestNode["Service"]

/** A replica whose primary is not there keeps its data, refuses writes, and refuses reads where it is told to. */
export const demote: Fault = {
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    const { node } = site
    yield* node.admin("CONFIG", "SET", "replica-serve-stale-data", step.dice[0] < 0.5 ? "yes" : "no")
    yield* node.admin("REPLICAOF", "127.0.0.1", 1)
    yield* Effect.sleep(step.hold)
    yield* node.admin("REPLICAOF", "NO", "ONE")
    yield* site.serving()
  })
}

const until = Effect.fnUntraced(function* (node: Node, field: RegExp) {
  while (!field.test(String(yield* node.admin("INFO", "replication")))) yield* Effect.sleep("5 millis")
})

/** Hands the primary's part over without losing a write; the address follows. */
const handOver = Effect.fnUntraced(function* (site: Site, from: Node, to: Node) {
  yield* until(from, /^slave0:.*state=online/m)
  yield* from.admin("FAILOVER", "TO", to.host, to.port)
  site.proxy.route(to)
  yield* until(to, /^role:master/m)
  yield* until(from, /^role:slave/m)
})

/** A real replica becomes the primary behind the same address, and later the other way round. */
export const failover: Fault = {
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    const replica = yield* TestNode.make(site.nodeOptions)
    yield* replica.admin("REPLICAOF", site.node.host, site.node.port)
    yield* until(replica, /^master_link_status:up/m)
    yield* handOver(site, site.node, replica)
    yield* Effect.sleep(step.hold)
    yield* site.serving()
    yield* until(site.node, /^master_link_status:up/m)
    yield* handOver(site, replica, site.node)
    yield* site.serving()
    yield* site.node.admin("CLIENT", "KILL", "TYPE", "REPLICA")
  })
}
