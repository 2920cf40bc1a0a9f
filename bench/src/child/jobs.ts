import type { Kind } from "../clients/kinds.ts"

/** What a process of its own is asked to measure, since memory is the process's. */
export type Job =
  | { readonly job: "idle"; readonly kind: Kind; readonly port: number; readonly count: number }
  | { readonly job: "busy"; readonly kind: Kind; readonly port: number; readonly millis: number }
  | { readonly job: "waiting"; readonly kind: Kind | "fiber"; readonly port: number; readonly count: number }

/** Bytes, milliseconds and the like, by name. */
export type Answer = Readonly<Record<string, number>>
