import { Effect } from "effect"
import type { TestNode } from "./TestNode.ts"

type Node = TestNode["Service"]

/** What the server executed, apart from commands of these names. */
export const executedApartFrom = (names: ReadonlySet<string>) => (node: Node) =>
  Effect.map(node.executed, (executed) =>
    Object.fromEntries(Object.entries(executed).filter(([name]) => !names.has(name)))
  )

/** How many changes to its data the server has made: a `SET … NX` that finds the key makes none. */
export const changes = (node: Node) =>
  Effect.map(node.admin("INFO", "persistence"), (info) =>
    Number(/^rdb_changes_since_last_save:(\d+)/m.exec(String(info))?.[1])
  )

/** Every key of the node, in order. */
export const keys = (node: Node) =>
  Effect.map(node.admin("KEYS", "*"), (keys) => (keys as ReadonlyArray<string>).toSorted())
