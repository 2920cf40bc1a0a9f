import { Effect } from "effect"

/** Waits until a condition holds; the deadline is only there to end a test that would hang. */
export const until = <A, E, R>(
  what: string,
  condition: Effect.Effect<A, E, R>,
  holds: (value: A) => boolean
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const poll: Effect.Effect<A, E, R> = Effect.flatMap(condition, (value) =>
      holds(value) ? Effect.succeed(value) : Effect.andThen(Effect.sleep(5), poll)
    )
    return Effect.timeoutOrElse(poll, {
      duration: "30 seconds",
      orElse: () => Effect.die(new Error(`waited in vain until ${what}`))
    })
  })
