import { ConnectorWire4 } from "@echomq/connector-wire4"
import { VERSION_KEY, WIRE_6 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { Effect, Fiber } from "effect"
import { bounds, LINGER } from "../Bounds.ts"
import { grown, megabytes, snapshot } from "../run/Snapshot.ts"
import { uncaught } from "../run/uncaught.ts"

const WRITERS = 4

/** How far memory may be from what it was at half time. */
const GROWTH = 0.1

/** Under writes, a node is killed and replaced by one of another wire; whatever was written there is unfenced. */
const swap = Effect.fnUntraced(function* (node: TestNode["Service"]) {
  const { command, stopped } = yield* Effect.orDie(
    ConnectorWire4.make({ ...bounds, host: node.host, port: node.port })
  )
  let acknowledged = 0
  const write = Effect.suspend(() => command(["RPUSH", "torture", acknowledged])).pipe(
    Effect.tap(() => Effect.sync(() => acknowledged++)),
    Effect.catchTag(["Disconnected", "CommandTimeout", "ServerError"], () => Effect.sleep("2 millis"))
  )
  const writers = yield* Effect.forEach(Array.from({ length: WRITERS }), () =>
    Effect.forkChild(Effect.exit(Effect.forever(write)))
  )
  while (acknowledged < 20) yield* Effect.sleep("2 millis")
  yield* node.replace({ seed: [["SET", VERSION_KEY, WIRE_6]] })
  const { _tag } = yield* Effect.flip(stopped).pipe(Effect.timeout("10 seconds"))
  yield* Fiber.awaitAll(writers)
  const keys = (yield* node.admin("KEYS", "*")) as ReadonlyArray<string>
  const writes = yield* node.writes
  yield* node.replace({})
  return _tag === "VersionFence" && keys.join() === VERSION_KEY ? writes : Math.max(writes, 1)
}, Effect.scoped)

/** Many swaps in one process: none lets a write through, and nothing grows from the first half to the second. */
export const swaps = Effect.fnUntraced(function* (times: number) {
  const problems: Array<string> = []
  yield* uncaught((what) => problems.push(what))
  const node = yield* TestNode.make()
  let unfenced = 0
  const half = Effect.gen(function* () {
    for (let i = 0; i < times / 2; i++) unfenced += yield* swap(node)
    yield* Effect.sleep(LINGER)
    return yield* snapshot
  })
  const first = yield* half
  const second = yield* half
  if (unfenced > 0) problems.push(`${unfenced} unfenced writes`)
  if (second.rss > first.rss * (1 + GROWTH)) problems.push("resident memory grew")
  problems.push(...grown(first, second))
  console.log(`${times} swaps: ${unfenced} unfenced writes`)
  console.log(
    `resident  ${megabytes(first.rss)} after the first half, ${megabytes(second.rss)} after the last`
  )
  console.log(`heap      ${megabytes(first.heap)}, ${megabytes(second.heap)}`)
  console.log(`handles   ${JSON.stringify(first.handles)}, ${JSON.stringify(second.handles)}`)
  return problems
})
