import type { Duration } from "effect"

/** The bounds that a connector keeps. */
export interface Limits {
  /** The pause before a reconnect: from `base`, doubling up to `max`, with jitter. Default: 100 ms and 2 s. */
  readonly backoff?: { readonly base?: Duration.Input; readonly max?: Duration.Input } | undefined
  /** For connecting, booting and fencing together. Default: 5 seconds. */
  readonly connectTimeout?: Duration.Input | undefined
  /** For one call, from sending to its reply. Default: 5 seconds. */
  readonly commandTimeout?: Duration.Input | undefined
  /** How long a connection may be quiet before it is asked for a sign of life. Default: 5 seconds. */
  readonly heartbeat?: Duration.Input | undefined
  /** How long a connection may answer nothing while something waits before it counts as lost. Default: 10 seconds. */
  readonly linkTimeout?: Duration.Input | undefined
  /** How many commands may wait for replies before `Overloaded`. Default: 10,000. */
  readonly pendingLimit?: number | undefined
}

/** What holds where a limit is not given. */
export const DEFAULT_LIMITS = {
  backoff: { base: "100 millis", max: "2 seconds" },
  connectTimeout: "5 seconds",
  commandTimeout: "5 seconds",
  heartbeat: "5 seconds",
  linkTimeout: "10 seconds",
  pendingLimit: 10_000
} as const satisfies Limits
