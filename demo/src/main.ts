import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import { swap } from "./swap.ts"
import { wire4 } from "./wire4.ts"

const part = <E, R>(title: string, check: Effect.Effect<boolean, E, R>) =>
  Effect.andThen(
    Effect.sync(() => console.log(`── ${title}`)),
    check
  )

const demo = Effect.gen(function* () {
  const results = [
    yield* part("Every stored value, one node each, against a wire-4 connector", wire4),
    yield* part("A node killed under a writer, and replaced by one that holds echomq:6.0.0", swap)
  ]
  const right = results.every((result) => result)
  console.log(right ? "Everything came out as the protocol says." : "Something came out wrong.")
  process.exitCode = right ? 0 : 1
})

NodeRuntime.runMain(demo)
