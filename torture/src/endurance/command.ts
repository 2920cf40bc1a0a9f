import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { connects } from "./connects.ts"
import { swaps } from "./swaps.ts"

const verdict = (problems: ReadonlyArray<string>) =>
  Effect.sync(() => {
    console.log(problems.length === 0 ? "No violation." : ["VIOLATIONS:", ...problems].join("\n  "))
    process.exitCode = problems.length === 0 ? 0 : 1
  })

const times = (most: number) =>
  Flag.Int("times").pipe(Flag.withDescription("How many."), Flag.withDefault(most))

export const swapsCommand = Command.make("swaps", { times: times(1_000) }, ({ times }) =>
  Effect.flatMap(Effect.scoped(swaps(times)), verdict)
).pipe(Command.withDescription("Swaps under writes, one after the other in one process."))

const pace = Flag.Int("pace").pipe(Flag.withDescription("How many a second."), Flag.withDefault(40))

export const connectsCommand = Command.make("connects", { times: times(10_000), pace }, ({ pace, times }) =>
  Effect.flatMap(Effect.scoped(connects(times, pace)), verdict)
).pipe(Command.withDescription("Connects and closes at a steady pace in one process."))
