import { inspect } from "node:util"
import { Cause } from "effect"

/** Every way in which an error comes to be read: as text, as JSON, in a debugger, in a report. */
export const shownForms = (error: unknown): ReadonlyArray<string> => [
  String(error),
  String((error as Error).stack),
  JSON.stringify(error),
  inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
  Cause.pretty(Cause.fail(error)),
  JSON.stringify(Cause.fail(error))
]
