import type { Reply, ServerError } from "@echomq/keyspace"
import type { Effect } from "effect"

/** A command ready for the wire, and how its reply is to be decoded. */
export interface Request {
  /** The command's name in upper case: it decides the form of some replies. */
  readonly name: string
  readonly args: ReadonlyArray<string | Uint8Array>
  readonly bytes: boolean
}

/** What came of a batch: a reply for each request, in order; the error with which the server discarded a transaction; or nothing that can be known. */
export type Replies = ReadonlyArray<Reply> | ServerError | null

/**
 * One connection for life. It never reconnects, so that what was fenced once is
 * what serves: when the connection is gone the link is too.
 */
export interface Link {
  /**
   * Sends requests in one round trip and calls `done` once with their replies.
   * `atomic` runs them as one transaction; where the server discards that as a
   * whole, that is its one error.
   */
  readonly send: (requests: ReadonlyArray<Request>, atomic: boolean, done: (replies: Replies) => void) => void
  /** A command that the server must refuse, or the connection is not held to this link; `null` where the driver needs no such proof. */
  readonly pinProof: ReadonlyArray<string> | null
  /** Waits until the connection is lost; says how it was noticed. */
  readonly loss: Effect.Effect<string>
}
