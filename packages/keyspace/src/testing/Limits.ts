import { Duration } from "effect"
import { DEFAULT_LIMITS, type Limits } from "../Limits.ts"

/** Limits with every default applied. Times are in milliseconds. */
export interface Settings {
  readonly backoff: { readonly base: number; readonly max: number }
  readonly connectTimeout: number
  readonly commandTimeout: number
  readonly heartbeat: number
  readonly linkTimeout: number
  readonly pendingLimit: number
}

export const settingsOf = (limits: Limits): Settings => {
  const millis = (name: "connectTimeout" | "commandTimeout" | "heartbeat" | "linkTimeout") =>
    Duration.toMillis(limits[name] ?? DEFAULT_LIMITS[name])
  return {
    backoff: {
      base: Duration.toMillis(limits.backoff?.base ?? DEFAULT_LIMITS.backoff.base),
      max: Duration.toMillis(limits.backoff?.max ?? DEFAULT_LIMITS.backoff.max)
    },
    connectTimeout: millis("connectTimeout"),
    commandTimeout: millis("commandTimeout"),
    heartbeat: millis("heartbeat"),
    linkTimeout: millis("linkTimeout"),
    pendingLimit: limits.pendingLimit ?? DEFAULT_LIMITS.pendingLimit
  }
}
