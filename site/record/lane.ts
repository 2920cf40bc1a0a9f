import { VERSION_KEY, WIRE_4 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { Effect, Stream } from "effect"
import type { Call, Change, Lane } from "../src/reconnect/Recording.ts"
import type { Open } from "./clients.ts"

/** Between two writes, so that a second has few enough of them to be drawn. */
const PAUSE = "20 millis"

/** A client writes to a node of wire 4, which is killed and replaced by one that holds something. */
export const lane = (open: Open, holds: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed: [["SET", VERSION_KEY, WIRE_4]] })
      const { changes, write } = yield* open(node)
      const calls: Array<Call> = []
      const changed: Array<Change> = []
      const now = () => performance.now()
      yield* changes.pipe(
        Stream.runForEach((status) => Effect.sync(() => changed.push({ at: now(), status }))),
        Effect.forkScoped
      )
      yield* Effect.gen(function* () {
        const from = now()
        const outcome = yield* write
        calls.push({ from, to: now(), outcome })
        yield* Effect.sleep(PAUSE)
        return outcome
      }).pipe(
        // A fatal refusal is the answer to every later write too.
        Effect.repeat({ until: (outcome) => outcome === "VersionFence" }),
        Effect.forkScoped
      )

      yield* Effect.sleep("400 millis")
      const kill = now()
      yield* node.kill
      yield* Effect.sleep("300 millis")
      yield* node.replace({ seed: [["SET", VERSION_KEY, holds]] })
      const up = now()
      yield* Effect.sleep("1500 millis")

      const since = (at: number) => Math.round(at - kill)
      const keys = (yield* node.admin("KEYS", "*")) as ReadonlyArray<string>
      const recorded: Lane = {
        up: since(up),
        calls: calls.map(({ from, outcome, to }) => ({ from: since(from), to: since(to), outcome })),
        changes: changed.map(({ at, status }) => ({ at: since(at), status })),
        landed: yield* node.writes,
        keys: [...keys].sort()
      }
      return recorded
    })
  )
