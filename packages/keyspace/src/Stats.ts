/** What a connector has done since it was made. Each number only grows, but for `pending`. */
export interface Stats {
  /** Commands accepted for sending, those of pipelines and transactions included. */
  readonly commands: number
  readonly pipelines: number
  readonly transactions: number
  /** Scripts called by their digest, and scripts loaded because a server did not know them. */
  readonly evalshaCalls: number
  readonly scriptLoads: number
  /** Replies that reached a caller, error replies included. */
  readonly replies: number
  /** Error replies among them. */
  readonly wireErrors: number
  /** Calls refused because `pendingLimit` were waiting. */
  readonly overloads: number
  /** Fenced connections after the first. */
  readonly reconnects: number
  /** Commands that wait for their replies now. */
  readonly pending: number
}
