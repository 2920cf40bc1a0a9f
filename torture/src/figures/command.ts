import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { measure } from "./measure.ts"
import { figureTable, outOfContract } from "./report.ts"

const times = Flag.Int("times").pipe(Flag.withDescription("How often each is taken."), Flag.withDefault(5))

/** Detection and recovery by themselves. */
export const figuresCommand = Command.make("figures", { times }, ({ times }) =>
  Effect.gen(function* () {
    const measured = yield* Effect.scoped(measure(times))
    const missed = outOfContract(measured)
    console.log([figureTable(measured), ...missed].join("\n"))
    process.exitCode = missed.length === 0 ? 0 : 1
  })
).pipe(
  Command.withDescription("How soon a loss is noticed and a recovered server serves, beside other clients.")
)
