import { NodeRuntime } from "@effect/platform-node"
import { Effect, References } from "effect"
import { claim } from "./claim.ts"
import { fleet } from "./fleet.ts"
import { lanes } from "./lanes.ts"
import { swap } from "./swap.ts"

const part = <E, R>(title: string, check: Effect.Effect<boolean, E, R>) =>
  Effect.andThen(
    Effect.sync(() => console.log(`── ${title}`)),
    check
  )

const demo = Effect.gen(function* () {
  const results = [
    yield* part("Every stored value, one node each, against a wire-4 connector", claim),
    yield* part("Every stored value in all four lanes, one node each, the module loaded", lanes),
    yield* part("A fleet under upgrade, against a wire-6 connector", fleet),
    yield* part("A node killed under a writer, and replaced by one that holds echomq:6.0.0", swap)
  ]
  const right = results.every((result) => result)
  console.log(right ? "Everything came out as the protocol says." : "Something came out wrong.")
  process.exitCode = right ? 0 : 1
})

NodeRuntime.runMain(Effect.provideService(demo, References.MinimumLogLevel, "Warn"))
