import { ConnectorWire4 } from "@echomq/connector-wire4"
import { printable } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { bytes, type FenceRow, fenceRows, seedOf } from "@echomq/test-node/vectors"
import { Effect } from "effect"
import { held, stored } from "./stored.ts"
import { table } from "./table.ts"

/** One stored value against a real wire-4 connector on a node of its own. */
const play = Effect.fnUntraced(function* (row: FenceRow) {
  const node = yield* TestNode.make({ seed: seedOf(row) })
  const verdict = yield* Effect.scoped(ConnectorWire4.make({ host: node.host, port: node.port })).pipe(
    Effect.as({ verdict: "run", said: "runs" }),
    Effect.catch((error) => Effect.succeed({ verdict: "refuse", said: `refuses: ${error.message}` }))
  )
  const writes = yield* node.writes
  const after = yield* held(node)
  const expected = row.wire4.after === undefined ? stored(row) : `"${printable(bytes(row.wire4.after))}"`
  const right =
    verdict.verdict === row.wire4.verdict &&
    after === expected &&
    writes === (row.wire4.wrote === true ? 1 : 0)
  return { right, cells: [stored(row), verdict.said, after, String(writes), right ? "" : "WRONG"] }
}, Effect.scoped)

/** Every stored value of the vectors; whether each came out as they say. */
export const claim = Effect.gen(function* () {
  const rows = yield* Effect.forEach(fenceRows, play)
  console.log(
    `\n${table(
      ["stored", "wire-4 connector", "key afterwards", "writes", ""],
      rows.map(({ cells }) => cells)
    )}\n`
  )
  return rows.every(({ right }) => right)
})
