import { printable } from "@echomq/keyspace"
import type { NodeError, TestNode } from "@echomq/test-node"
import { bytes, type FenceRow } from "@echomq/test-node/vectors"
import { Effect } from "effect"

/** What a row has stored, as the tables show it. */
export const stored = (row: FenceRow): string =>
  row.storedType !== undefined
    ? `(a ${row.storedType})`
    : row.stored === null || row.stored === undefined
      ? "(absent)"
      : `"${printable(bytes(row.stored))}"`

/** What `{emq}:version` holds on a node now, as the tables show it. */
export const held = Effect.fnUntraced(function* (
  node: TestNode["Service"]
): Effect.fn.Return<string, NodeError> {
  const type = yield* node.admin("TYPE", "{emq}:version")
  if (type === "none") return "(absent)"
  if (type !== "string") return `(a ${String(type)})`
  return `"${printable((yield* node.adminBuffer("GET", "{emq}:version")) as Buffer)}"`
})
