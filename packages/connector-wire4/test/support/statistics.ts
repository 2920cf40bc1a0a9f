import type { TestNode } from "@echomq/test-node"
import { Effect } from "effect"

type Node = TestNode["Service"]

/** What any connection does to be one: the boot's steps, and what the driver says about itself. */
const ofConnections = new Set(["auth", "client|setinfo", "client|setname", "select", "ping", "quit"])

/** What the server executed, apart from the making of connections: all that concerns a key. */
export const executedOnKeys = (node: Node) =>
  Effect.map(node.executed, (executed) =>
    Object.fromEntries(Object.entries(executed).filter(([name]) => !ofConnections.has(name)))
  )

/** How many changes to its data the server has made: a `SET … NX` that finds the key makes none. */
export const changes = (node: Node) =>
  Effect.map(node.admin("INFO", "persistence"), (info) =>
    Number(/^rdb_changes_since_last_save:(\d+)/m.exec(String(info))?.[1])
  )

/** Every key of the node, in order. */
export const keys = (node: Node) =>
  Effect.map(node.admin("KEYS", "*"), (keys) => (keys as ReadonlyArray<string>).toSorted())
