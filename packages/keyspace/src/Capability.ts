/** The capability tokens of the job core, in the module's table order. A wire-6 client needs them all. */
export const JOB_CORE = [
  "enqueue",
  "claim",
  "claim.pause",
  "extend",
  "extends",
  "complete.flat",
  "schedule",
  "promote",
  "reschedule",
  "delay",
  "fail.flat",
  "reprocess",
  "requeue",
  "stalled.check"
] as const

/** The capability tokens of the bus. A wire-6 client does not require them. */
export const BUS = ["append", "failures.incr", "publish"] as const

export type JobCapability = (typeof JOB_CORE)[number]
export type BusCapability = (typeof BUS)[number]

/** What a command of the module can do, as `EMQ.VERSION` lists it. */
export type Capability = JobCapability | BusCapability
