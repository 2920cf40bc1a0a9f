import { getStatistics } from "@valkey/valkey-glide"

/** GLIDE counts a lost connection out within 20 ms, and asking for the count costs 2 µs. */
const POLL_MILLIS = 25

/** How often the links are asked while the count can tell nothing. */
const BLIND_MILLIS = 100

const listeners = new Set<() => void>()
let timer: NodeJS.Timeout | undefined
let known = 0
/** How many connections the latest poll has found that nobody had announced. */
let early = 0
let blind = 0

const connections = (): number =>
  Number((getStatistics() as { readonly total_connections: string }).total_connections)

const poll = (): void => {
  const now = connections()
  const dropped = now < known
  early = Math.max(0, now - known)
  known = now
  blind = now === 0 ? blind + POLL_MILLIS : 0
  if (!dropped && blind < BLIND_MILLIS) return
  blind = 0
  for (const listener of listeners) listener()
}

/**
 * A connection that came must not make up in the count for one that went since the last poll. Where that poll has
 * counted it already, before its client was there, it must not be counted twice either.
 */
export const expectOneMore = (): void => {
  if (early > 0) early--
  else known++
}

/**
 * Calls back whenever the process has fewer GLIDE connections than it had: the driver
 * says nothing when an idle connection is lost. It is a hint, since the count does not
 * say whose connection went. Returns how to stop.
 *
 * GLIDE counts a connection out when it is lost and once more when its client is closed,
 * though never below zero. There no drop can be seen any more, and it calls back by the clock.
 */
export const onHint = (listener: () => void): (() => void) => {
  listeners.add(listener)
  if (timer === undefined) {
    known = connections()
    timer = setInterval(poll, POLL_MILLIS).unref()
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}
