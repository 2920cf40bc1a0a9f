import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { chaos, plots } from "./run/chaos.ts"
import { report } from "./run/report.ts"

const seed = Flag.Int("seed").pipe(
  Flag.withDescription("The same seed gives the same faults. Default: a random one, which is printed."),
  Flag.optional
)

const minutes = Flag.Finite("minutes").pipe(
  Flag.withDescription("For how long faults go on."),
  Flag.withDefault(3)
)

const torture = Command.make("torture", { seed, minutes }, ({ minutes, seed }) =>
  Effect.gen(function* () {
    const what = {
      seed: Option.getOrElse(seed, () => Math.floor(Math.random() * 1_000_000)),
      millis: minutes * 60_000,
      plots
    }
    console.log(`seed ${what.seed}, ${minutes} minutes\n`)
    const outcome = yield* Effect.scoped(chaos(what))
    console.log(report(what, outcome))
    process.exitCode = outcome.journal.violations.length === 0 ? 0 : 1
  })
).pipe(
  Command.withDescription(
    "Faults in random order against connectors of both wires, and what must hold afterwards."
  )
)

NodeRuntime.runMain(Command.run(torture, { version: "0.0.0" }).pipe(Effect.provide(NodeServices.layer)))
