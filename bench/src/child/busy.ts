import { Effect } from "effect"
import { load } from "../clients/kinds.ts"
import { pace } from "../measure.ts"
import type { Job } from "./jobs.ts"
import { memory } from "./memory.ts"

/** The resident memory of a process that has one client, before and after a time of work at 1,000 callers. */
export const busy = Effect.fnUntraced(function* ({ kind, millis, port }: Extract<Job, { job: "busy" }>) {
  const open = yield* Effect.promise(() => load(kind))
  const client = yield* open(port)
  const before = yield* memory
  yield* Effect.promise(() => pace(millis, (round) => client.loop("SET", 1_000, round)))
  const { rss } = process.memoryUsage()
  const after = yield* memory
  return {
    before: before.resident,
    busy: rss,
    after: after.resident,
    most: process.resourceUsage().maxRSS * 1_024
  }
})
