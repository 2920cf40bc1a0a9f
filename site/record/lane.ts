import { VERSION_KEY, WIRE_4 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { Effect, Fiber, Stream } from "effect"
import type { Call, Change, Lane, Run } from "../src/reconnect/Recording.ts"
import { accepts } from "./accepts.ts"
import { COUNTER, type Open } from "./clients.ts"

/** Between two writes, so that a second has few enough of them to be drawn. */
const PAUSE = "20 millis"

/** Where the first node's counter begins, and the second's does not: a reply says which node gave it. */
const FIRST = 1_000_000

/** A write that was made, and its outcome. */
interface Made extends Call {
  readonly outcome: string
}

const runsOf = (made: ReadonlyArray<Made>): ReadonlyArray<Run> => {
  const runs: Array<{ readonly outcome: string; readonly calls: Array<Call> }> = []
  for (const { outcome, ...call } of made) {
    const last = runs.at(-1)
    if (last?.outcome === outcome) last.calls.push(call)
    else runs.push({ outcome, calls: [call] })
  }
  return runs
}

/** A client writes to a node of wire 4, which is killed and replaced by one that holds something. */
export const lane = (open: Open, holds: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const node = yield* TestNode.make({
        seed: [
          ["SET", VERSION_KEY, WIRE_4],
          ["SET", COUNTER, String(FIRST)]
        ]
      })
      const { changes, write } = yield* open(node)
      const made: Array<Made> = []
      const changed: Array<Change> = []
      const now = () => performance.now()
      yield* changes.pipe(
        Stream.runForEach((status) => Effect.sync(() => changed.push({ at: now(), status }))),
        Effect.forkScoped
      )
      let enough = false
      const writer = yield* Effect.gen(function* () {
        const from = now()
        const outcome = yield* Effect.match(write, {
          onSuccess: (count) => (count > FIRST ? "first" : "second"),
          onFailure: (error) => error
        })
        made.push({ from, to: now(), outcome })
        yield* Effect.sleep(PAUSE)
        return outcome
      }).pipe(
        // A fatal refusal is the answer to every later write too.
        Effect.repeat({ until: (outcome) => enough || outcome === "VersionFence" }),
        Effect.forkScoped
      )

      yield* Effect.sleep("400 millis")
      const kill = now()
      yield* node.kill
      yield* Effect.sleep("300 millis")
      // The fixture takes longer to be ready for questions than the node to serve.
      const accepting = yield* Effect.forkScoped(Effect.map(accepts(node), now))
      yield* node.replace({ seed: [["SET", VERSION_KEY, holds]] })
      const up = yield* Fiber.join(accepting)
      yield* Effect.sleep("1500 millis")
      enough = true
      yield* Fiber.join(writer)

      const since = (at: number) => Math.round(at - kill)
      const keys = (yield* node.admin("KEYS", "*")) as ReadonlyArray<string>
      const recorded: Lane = {
        up: since(up),
        runs: runsOf(made.map(({ from, outcome, to }) => ({ from: since(from), to: since(to), outcome }))),
        changes: changed.map(({ at, status }) => ({ at: since(at), status })),
        landed: yield* node.writes,
        executed: Object.fromEntries(Object.entries(yield* node.executed).sort()),
        keys: [...keys].sort()
      }
      return recorded
    })
  )
