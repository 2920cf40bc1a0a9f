import { Effect, Logger } from "effect"

/** Keeps the log lines of clients out of the table, and their cost out of the figures. */
export const quiet = Effect.provide(Logger.layer([]))
