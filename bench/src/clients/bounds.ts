/** Limits that no measurement should run into; where a client has none, it needs none. */
export const WAITING = 200_000
export const TIMEOUT_MILLIS = 120_000
