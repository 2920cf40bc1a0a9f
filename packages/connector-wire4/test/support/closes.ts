/**
 * A connector that is closed while calls wait, a lane blocks, a stream listens and callers are refused. Says how each
 * ended and what is left, and ends without being told to.
 */
import { TestNode } from "@echomq/test-node"
import { Effect, Exit, Fiber, Scope, Stream } from "effect"
import { ConnectorWire4 } from "../../src/index.ts"

/** Sockets of GLIDE's, and streams of the process. */
const pipes = () => process.getActiveResourcesInfo().filter((name) => name === "PipeWrap").length

const program = Effect.gen(function* () {
  const node = yield* TestNode.make()
  console.log("= opens")
  console.error("The streams of the process are among its pipes once they are used.")
  const before = pipes()
  const scope = yield* Scope.make()
  const connector = yield* Scope.provide(ConnectorWire4.make({ port: node.port, pendingLimit: 100 }), scope)
  const lane = yield* Scope.provide(connector.lane, scope)
  const ends: Array<Effect.Effect<unknown, { readonly _tag: string }>> = [
    lane.command(["BLPOP", "list", 0]),
    Stream.runDrain(connector.subscribe(["channel"])),
    connector.stopped
  ]
  const waiting = yield* Effect.forEach(ends, (end) => Effect.forkDetach(Effect.flip(end)))
  // A subscription ends the connection that it was fenced on, and nobody must look for a loss any more.
  yield* Effect.sleep(1_000)
  yield* node.admin("CLIENT", "PAUSE", 600_000, "WRITE")
  const calls = yield* Effect.forEach(
    Array.from({ length: 200 }, () => connector.command(["SET", "a", "1"])),
    (call) => Effect.forkDetach(Effect.flip(call))
  )
  yield* Effect.sleep(100)
  const began = performance.now()
  yield* Scope.close(scope, Exit.void)
  console.log(`= closed ${performance.now() - began < 1_000 ? "at once" : "late"}`)
  // What is destroyed is gone at the end of the tick.
  yield* Effect.sleep(10)
  console.log(`= ${pipes() - before} sockets left`)
  const counts: Record<string, number> = {}
  for (const { _tag } of yield* Effect.forEach([...waiting, ...calls], Fiber.join)) {
    counts[_tag] = (counts[_tag] ?? 0) + 1
  }
  console.log(`= ${JSON.stringify(counts)}`)
  yield* node.admin("CLIENT", "UNPAUSE")
})

await Effect.runPromise(Effect.scoped(program))
