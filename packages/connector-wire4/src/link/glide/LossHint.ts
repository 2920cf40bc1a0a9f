import { getStatistics } from "@valkey/valkey-glide"

/** GLIDE counts a lost connection out within 20 ms, and asking for the count costs 2 µs. */
const POLL_MILLIS = 25

const listeners = new Set<() => void>()
let timer: NodeJS.Timeout | undefined
let known = 0

const connections = (): number =>
  Number((getStatistics() as { readonly total_connections: string }).total_connections)

const poll = (): void => {
  const now = connections()
  const dropped = now < known
  known = now
  if (dropped) for (const listener of listeners) listener()
}

/**
 * Calls back whenever the process has fewer GLIDE connections than it had: the driver
 * says nothing when an idle connection is lost. It is a hint, since the count does not
 * say whose connection went. Returns how to stop.
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
