import { Duration } from "effect"

/** The bounds of a connector, with the names and defaults of the real ones. There is no jitter in the backoff. */
export interface Limits {
  /** The pause before a reconnect: from `base`, doubling up to `max`. Default: 100 ms and 2 s. */
  readonly backoff?: { readonly base?: Duration.Input; readonly max?: Duration.Input } | undefined
  /** For connecting and fencing together. Default: 5 seconds. */
  readonly connectTimeout?: Duration.Input | undefined
  /** For one call, from sending to its reply. Default: 5 seconds. */
  readonly commandTimeout?: Duration.Input | undefined
  /** How often a connection is asked for a sign of life. Default: 5 seconds. */
  readonly heartbeat?: Duration.Input | undefined
  /** How long that may be owing before the connection counts as lost. Default: 10 seconds. */
  readonly linkTimeout?: Duration.Input | undefined
  /** How many commands may wait for replies before `Overloaded`. Default: 10,000. */
  readonly pendingLimit?: number | undefined
}

/** Limits with every default applied. Times are in milliseconds. */
export interface Settings {
  readonly backoff: { readonly base: number; readonly max: number }
  readonly connectTimeout: number
  readonly commandTimeout: number
  readonly heartbeat: number
  readonly linkTimeout: number
  readonly pendingLimit: number
}

export const settingsOf = (limits: Limits): Settings => ({
  backoff: {
    base: Duration.toMillis(limits.backoff?.base ?? "100 millis"),
    max: Duration.toMillis(limits.backoff?.max ?? "2 seconds")
  },
  connectTimeout: Duration.toMillis(limits.connectTimeout ?? "5 seconds"),
  commandTimeout: Duration.toMillis(limits.commandTimeout ?? "5 seconds"),
  heartbeat: Duration.toMillis(limits.heartbeat ?? "5 seconds"),
  linkTimeout: Duration.toMillis(limits.linkTimeout ?? "10 seconds"),
  pendingLimit: limits.pendingLimit ?? 10_000
})
