import { Data } from "effect"
import type { ConnectFailed, Disconnected } from "./CallError.ts"
import type { FatalError } from "./FatalError.ts"

/**
 * Where a connector stands. `Connecting`, `Serving` and `Down` follow one another
 * for as long as it lives; `Stopped` and `Closed` are final.
 */
export type Status = Data.TaggedEnum<{
  /** Dialling, booting and fencing; `attempt` counts from 1 since the last serving connection. */
  Connecting: { readonly attempt: number }
  /** A fenced connection serves callers. */
  Serving: object
  /** No connection, because of `error`; the next attempt follows after the backoff. */
  Down: { readonly error: ConnectFailed | Disconnected }
  /** A fatal refusal: no further attempt is made. */
  Stopped: { readonly error: FatalError }
  /** The scope of the connector was closed. */
  Closed: object
}>

export const Status = Data.taggedEnum<Status>()

/** Whether a connector in this state stays in it. */
export const isFinal = (status: Status): boolean => status._tag === "Stopped" || status._tag === "Closed"
