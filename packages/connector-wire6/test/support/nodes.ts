import { type NodeOptions, TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { until } from "@echomq/test-node/until"
import { Effect } from "effect"

/** A node with the module as shipped. */
export const withModule = (options: NodeOptions = {}) => TestNode.make({ module: modulePath(), ...options })

/** An empty node with the module, and a node that is its replica, which has what `options` say. */
export const replicated = Effect.fnUntraced(function* (options: NodeOptions) {
  const primary = yield* withModule({ args: ["--repl-diskless-sync-delay", "0"] })
  const replica = yield* TestNode.make(options)
  yield* replica.admin("REPLICAOF", primary.host, primary.port)
  yield* until("the replica is in step", replica.admin("INFO", "replication"), (info) =>
    /master_link_status:up/.test(String(info))
  )
  return { primary, replica }
})
