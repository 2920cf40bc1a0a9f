import { Effect, type Scope } from "effect"

/** Tells of everything that would end this process, and keeps it going, for the lifetime of the scope. */
export const uncaught = (tell: (what: string) => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const listen = (kind: string) => {
        const listener = (error: unknown) =>
          tell(`${kind}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
        process.on(kind, listener)
        return () => process.off(kind, listener)
      }
      return ["uncaughtException", "unhandledRejection"].map(listen)
    }),
    (offs) =>
      Effect.sync(() => {
        for (const off of offs) off()
      })
  ).pipe(Effect.asVoid)
