import { Effect, type Scope } from "effect"

const kinds = ["uncaughtException", "unhandledRejection"] as const

/** Everything that nobody caught in this process, until the scope ends. */
export const uncaught: Effect.Effect<ReadonlyArray<unknown>, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const seen: Array<unknown> = []
    const listener = (error: unknown) => void seen.push(error)
    for (const kind of kinds) process.on(kind, listener)
    return { seen, listener }
  }),
  ({ listener }) =>
    Effect.sync(() => {
      for (const kind of kinds) process.off(kind, listener)
    })
).pipe(Effect.map(({ seen }) => seen))
