import type { Status, Wire } from "@echomq/keyspace"
import { Effect, Metric } from "effect"
import type { Settings } from "./Options.ts"
import type { Outbox } from "./Outbox.ts"
import { address } from "./Target.ts"

/** Attempts to connect, by how they ended: `Serving`, or the tag of the error. A fence's refusal is one of these. */
const connects = Metric.frequency("echomq.connects", {
  description: "Attempts to connect, by outcome"
})
const reconnects = Metric.counter("echomq.reconnects", {
  description: "Fenced connections after a connector's first",
  incremental: true
})
const calls = Metric.counter("echomq.calls", {
  description: "Commands accepted for sending",
  incremental: true
})
const errors = Metric.counter("echomq.errors", {
  description: "Calls that failed, by the tag of the error",
  incremental: true
})
/** It goes up and down, so that the connectors of a process add up. */
const inFlight = Metric.counter("echomq.in_flight", { description: "Commands that wait for their replies" })
const latency = Metric.histogram("echomq.latency", {
  description: "From sending a batch to its replies, in milliseconds",
  boundaries: Metric.exponentialBoundaries({ start: 0.125, factor: 2, count: 16 })
})

/**
 * What a connector tells of itself: a log line at each change of state, and metrics. Calls
 * are counted where they happen and published by the tick, so that a call costs nothing more.
 */
export const telemetry = Effect.fnUntraced(function* (wire: Wire, settings: Settings) {
  const context = yield* Effect.context<never>()
  const annotated = Effect.annotateLogs({ "echomq.wire": wire, "server.address": address(settings.target) })
  let counted = 0
  let waiting = 0

  return {
    /** The time in milliseconds that a batch took. */
    landed: (milliseconds: number) => latency.updateUnsafe(milliseconds, context),

    /** Publishes what has been counted since the last time. */
    publish: (outbox: Outbox): void => {
      const { commands } = outbox.stats
      if (commands !== counted) calls.updateUnsafe(commands - counted, context)
      if (outbox.pending !== waiting) inFlight.updateUnsafe(outbox.pending - waiting, context)
      counted = commands
      waiting = outbox.pending
      for (const [tag, count] of outbox.failures) {
        Metric.withAttributes(errors, { "error.type": tag }).updateUnsafe(count, context)
      }
      outbox.failures.clear()
    },

    changed: (status: Status, again: boolean): Effect.Effect<void> => {
      switch (status._tag) {
        case "Connecting":
          return annotated(Effect.logDebug(`connecting, attempt ${status.attempt}`))
        case "Serving":
          connects.updateUnsafe("Serving", context)
          if (again) reconnects.updateUnsafe(1, context)
          return annotated(Effect.logInfo(again ? "serving again" : "serving"))
        case "Down":
          if (status.error._tag === "Disconnected") {
            return annotated(Effect.logWarning("down: the connection was lost"))
          }
          connects.updateUnsafe(status.error._tag, context)
          return annotated(Effect.logWarning(`down: ${status.error.message}`))
        case "Stopped":
          connects.updateUnsafe(status.error._tag, context)
          return annotated(Effect.logError(`stopped for good: ${status.error.message}`))
        case "Closed":
          return annotated(Effect.logDebug("closed"))
      }
    }
  }
})
