import { ConnectorWire4 } from "@echomq/connector-wire4"
import { TestNode } from "@echomq/test-node"
import { Effect, Schedule } from "effect"
import { bounds, LINGER } from "../Bounds.ts"
import { grown, megabytes, type Snapshot, snapshot } from "../run/Snapshot.ts"
import { uncaught } from "../run/uncaught.ts"
import { table } from "../table.ts"

/** How far memory may be at the end from what it was at half time. */
const GROWTH = 0.1

/** How many looks are taken, the same number of connects apart. */
const LOOKS = 10

const connect = (node: TestNode["Service"]) =>
  Effect.scoped(
    Effect.flatMap(
      Effect.orDie(ConnectorWire4.make({ ...bounds, host: node.host, port: node.port })),
      ({ command }) => command(["INCR", "connects"])
    )
  )

/** Connects and closes at a steady pace: memory is flat in the second half, and no connection is left. */
export const connects = Effect.fnUntraced(function* (times: number, perSecond: number) {
  const problems: Array<string> = []
  yield* uncaught((what) => problems.push(what))
  const node = yield* TestNode.make()
  yield* connect(node)
  yield* Effect.sleep(LINGER)
  const before = yield* snapshot
  const looks: Array<Snapshot> = []
  for (let look = 0; look < LOOKS; look++) {
    yield* connect(node).pipe(
      Effect.repeat({ schedule: Schedule.fixed(1_000 / perSecond), times: times / LOOKS - 1 })
    )
    looks.push(yield* snapshot)
  }
  yield* Effect.sleep(LINGER)
  const after = yield* snapshot
  const left = yield* node.connections
  const done = Number(yield* node.admin("GET", "connects")) - 1
  const middle = looks[LOOKS / 2 - 1] ?? before
  const last = looks.at(-1) ?? before
  if (done !== times) problems.push(`${done} of ${times} connects were served`)
  if (left > 0) problems.push(`${left} connections are left`)
  if (last.rss > middle.rss * (1 + GROWTH) || last.heap > middle.heap * (1 + GROWTH))
    problems.push("memory grew")
  problems.push(...grown(before, after))
  console.log(
    table(
      ["connects", "resident", "heap"],
      looks.map(({ heap, rss }, i) => [((i + 1) * times) / LOOKS, megabytes(rss), megabytes(heap)])
    )
  )
  console.log(
    `${left} connections left; handles ${JSON.stringify(before.handles)} before, ${JSON.stringify(after.handles)} after`
  )
  return problems
})
