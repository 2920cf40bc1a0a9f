/** The bounds of every connector of the run, in milliseconds: short, so that a minute holds many faults. */
export const bounds = {
  connectTimeout: 1_000,
  commandTimeout: 1_000,
  heartbeat: 300,
  linkTimeout: 1_000,
  backoff: { base: 20, max: 200 },
  pendingLimit: 200
} as const

/** How much later than its time-out a call may settle. */
export const SETTLE_SLACK = 1_000

/** How long after the end of a fault every connector serves again: a boot that was under way times out, then a backoff with its jitter, then another boot. */
export const RECOVERY_LIMIT = 4_000

/** How long GLIDE may keep the socket of a client that was closed. */
export const LINGER = 4_000
