/**
 * What a caller may conclude of one write: `acknowledged` is on the server, `not-applied` is not, and `unknown` may
 * or may not be.
 */
export type Outcome = "waiting" | "acknowledged" | "unknown" | "not-applied"

/** One numbered write. */
export interface Entry {
  /** Its number on its connector, in the order in which the calls were made. */
  readonly n: number
  /** Which of the connector's connections it was made on. */
  readonly link: number
  /** The transaction that it is a part of. */
  readonly transaction: number | null
  /** How many bytes of filling its value has. */
  readonly size: number
  outcome: Outcome
  /** Why, in a word. */
  why: string
  /** How long the reply said that the list was with it. */
  position: number | null
}
