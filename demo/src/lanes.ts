import { ConnectorWire4 } from "@echomq/connector-wire4"
import { ConnectorWire6 } from "@echomq/connector-wire6"
import { type NodeError, TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { type FenceRow, fenceRows, seedOf } from "@echomq/test-node/vectors"
import { Effect, type Scope } from "effect"
import { stored } from "./stored.ts"
import { table } from "./table.ts"

type Node = TestNode["Service"]

/** What a lane said, and whether that is what the vectors say. */
interface Said {
  readonly said: string
  readonly right: boolean
}

const connects = (
  open: Effect.Effect<unknown, { readonly _tag: string }, Scope.Scope>,
  expected: FenceRow["wire4"]
): Effect.Effect<Said> =>
  Effect.scoped(open).pipe(
    Effect.as({ said: "runs", right: expected.verdict === "run" }),
    Effect.catch((error) =>
      Effect.succeed({
        said: error._tag,
        right: expected.verdict === "refuse" && error._tag === "VersionFence"
      })
    )
  )

/** An error reply, checked against the text or the beginning that the vectors give; `undefined` where they give none. */
const errors = (error: NodeError, whole: string | undefined, prefix: string | undefined): Said => ({
  said: error.message.split(" ")[0] ?? "",
  right:
    whole === undefined ? prefix !== undefined && error.message.startsWith(prefix) : error.message === whole
})

const verb = (node: Node, { nativeVerb }: FenceRow): Effect.Effect<Said> =>
  node.admin("EMQ.ENQUEUE", 1, "emq:{orders}:pending", "JOB0KHTOWnGLuC").pipe(
    Effect.as({ said: "runs", right: nativeVerb.verdict === "run" }),
    Effect.catch((error) => Effect.succeed(errors(error, nativeVerb.error, nativeVerb.errorPrefix)))
  )

const install = (node: Node, { install }: FenceRow): Effect.Effect<Said> =>
  node.admin("EMQ.INSTALL", 1, "{emq}:version").pipe(
    Effect.map((reply) => ({ said: `replies ${reply}`, right: reply === install.reply })),
    Effect.catch((error) => Effect.succeed(errors(error, install.error, install.errorPrefix)))
  )

/** One lane on a node of its own, so that no lane sees what another wrote. */
const alone = (row: FenceRow, lane: (node: Node, row: FenceRow) => Effect.Effect<Said>) =>
  Effect.scoped(
    Effect.flatMap(TestNode.make({ seed: seedOf(row), module: modulePath() }), (node) => lane(node, row))
  )

const play = Effect.fnUntraced(function* (row: FenceRow) {
  const lanes = yield* Effect.forEach(
    [
      (node: Node) => connects(ConnectorWire4.make({ host: node.host, port: node.port }), row.wire4),
      verb,
      (node: Node) => connects(ConnectorWire6.make({ host: node.host, port: node.port }), row.wire6),
      install
    ],
    (lane) => alone(row, lane)
  )
  const right = lanes.every((lane) => lane.right)
  return { right, cells: [stored(row), ...lanes.map(({ said }) => said), right ? "" : "WRONG"] }
})

/** Every stored value of the vectors, in all four lanes; whether each came out as they say. */
export const lanes = Effect.gen(function* () {
  const rows = yield* Effect.forEach(fenceRows, play)
  console.log(
    `\n${table(
      ["stored", "wire 4", "native verb", "wire 6", "EMQ.INSTALL", ""],
      rows.map(({ cells }) => cells)
    )}\n`
  )
  return rows.every(({ right }) => right)
})
