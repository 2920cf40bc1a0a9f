import { Effect } from "effect"

/** Waits on the machine's clock, also where a test has put a clock of its own in Effect's place. */
export const wait = (milliseconds: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), milliseconds)
    return Effect.sync(() => clearTimeout(timer))
  })
