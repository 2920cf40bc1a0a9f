/** The bounds of a connector, in milliseconds. */
export interface Bounds {
  readonly connectTimeout: number
  readonly commandTimeout: number
  readonly heartbeat: number
  readonly linkTimeout: number
  readonly backoff: { readonly base: number; readonly max: number }
  readonly pendingLimit: number
}

/** Short, so that a minute holds many faults. */
export const bounds: Bounds = {
  connectTimeout: 1_000,
  commandTimeout: 1_000,
  heartbeat: 300,
  linkTimeout: 1_000,
  backoff: { base: 20, max: 200 },
  pendingLimit: 200
}

/** Calls give up long before the connection does. */
export const patient: Bounds = { ...bounds, commandTimeout: 500, linkTimeout: 2_000 }

/** How much later than its time-out a call may settle. */
export const SETTLE_SLACK = 1_000

/** How long after the end of a fault every connector serves again: a boot that was under way times out, then a backoff with its jitter, then another boot. */
export const RECOVERY_LIMIT = 4_000

/** How long GLIDE may keep the socket of a client that was closed. */
export const LINGER = 4_000
