import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { measure } from "../figures/measure.ts"
import { figureTable, outOfContract } from "../figures/report.ts"
import { chaos, plots } from "./chaos.ts"
import { report } from "./report.ts"

const seed = Flag.Int("seed").pipe(
  Flag.withDescription("The same seed gives the same faults. Default: a random one, which is printed."),
  Flag.optional
)

const minutes = Flag.Finite("minutes").pipe(
  Flag.withDescription("For how long faults go on."),
  Flag.withDefault(3)
)

const times = Flag.Int("figures").pipe(
  Flag.withDescription(
    "How often each figure of detection and recovery is taken beforehand; 0 for not at all."
  ),
  Flag.withDefault(3)
)

/** The torture run. */
export const chaosCommand = Command.make("torture", { seed, minutes, times }, ({ minutes, seed, times }) =>
  Effect.gen(function* () {
    const what = {
      seed: Option.getOrElse(seed, () => Math.floor(Math.random() * 1_000_000)),
      millis: minutes * 60_000,
      plots
    }
    console.log(`seed ${what.seed}, ${minutes} minutes\n`)
    const measured = yield* Effect.scoped(measure(times))
    const outcome = yield* Effect.scoped(chaos(what))
    for (const missed of outOfContract(measured)) outcome.journal.violate("figures", "", missed)
    if (times > 0) console.log(`${figureTable(measured)}\n`)
    console.log(report(what, outcome))
    process.exitCode = outcome.journal.violations.length === 0 ? 0 : 1
  })
).pipe(
  Command.withDescription(
    "Faults in random order against connectors of both wires, and what must hold afterwards."
  )
)
