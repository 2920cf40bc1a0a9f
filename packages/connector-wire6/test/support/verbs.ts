/** Every write verb of the module, in the order of its table. */
export const VERBS = [
  "EMQ.ENQUEUE",
  "EMQ.CLAIM",
  "EMQ.EXTEND",
  "EMQ.EXTENDS",
  "EMQ.COMPLETE",
  "EMQ.SCHEDULE",
  "EMQ.PROMOTE",
  "EMQ.RESCHEDULE",
  "EMQ.DELAY",
  "EMQ.FAIL",
  "EMQ.REPROCESS",
  "EMQ.REQUEUE",
  "EMQ.STALLED",
  "EMQ.APPEND",
  "EMQ.FAILURES",
  "EMQ.PUBLISH"
] as const

/** Every command of the module. */
export const COMMANDS = [...VERBS, "EMQ.VERSION", "EMQ.INSTALL", "TRA.CAPABILITIES"] as const
