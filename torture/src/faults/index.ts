import { closeConnector } from "./connector.ts"
import { lockOut, rotate } from "./credentials.ts"
import { flush, reclaim } from "./data.ts"
import type { Fault } from "./Fault.ts"
import { maxclients, maxmemory } from "./limits.ts"
import { close, cut, delay, hole, refuse, reset, throttle } from "./network.ts"
import { demote, failover } from "./replication.ts"
import { clientKill, kill, loading, pause, restart, stop } from "./server.ts"
import { replace, replaceEmpty, revalue, swap } from "./swap.ts"

/** Every fault, by the name under which it is counted. */
export const faults = {
  kill,
  restart,
  loading,
  SIGSTOP: stop,
  "CLIENT PAUSE": pause,
  "CLIENT KILL": clientKill,
  swap,
  replace,
  "replace by empty": replaceEmpty,
  revalue,
  FLUSHALL: flush,
  "FLUSHALL and kill": reclaim,
  demote,
  failover,
  maxmemory,
  maxclients,
  "rotate password": rotate,
  "lock out": lockOut,
  "close connector": closeConnector,
  delay,
  throttle,
  "black hole": hole,
  cut,
  reset,
  close,
  refuse
} satisfies Record<string, Fault>

export type FaultKind = keyof typeof faults

export const faultOf = (kind: FaultKind): Fault => faults[kind]
