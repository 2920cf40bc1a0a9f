import { Effect } from "effect"
import { load } from "../clients/kinds.ts"
import type { Job } from "./jobs.ts"
import { memory } from "./memory.ts"

const CPU_MILLIS = 2_000

/** Many clients of one kind at once: how long until all serve, and what each takes while it has nothing to do. */
export const idle = Effect.fnUntraced(function* ({ count, kind, port }: Extract<Job, { job: "idle" }>) {
  const open = yield* Effect.promise(() => load(kind))
  const warm = yield* open(port)
  yield* Effect.promise(() => warm.once("GET"))
  const before = yield* memory
  const start = performance.now()
  const clients = yield* Effect.forEach(Array.from({ length: count }), () => open(port), {
    concurrency: "unbounded"
  })
  const millis = performance.now() - start
  // GLIDE lets go of what it needed for connecting some seconds later.
  yield* Effect.sleep("4 seconds")
  const after = yield* memory
  const cpu = process.cpuUsage()
  yield* Effect.sleep(CPU_MILLIS)
  const { system, user } = process.cpuUsage(cpu)
  // They are all still there.
  yield* Effect.promise(() => Promise.all(clients.map((client) => client.once("GET"))))
  return {
    millis,
    resident: (after.resident - before.resident) / count,
    heap: (after.heap - before.heap) / count,
    cpuShare: (user + system) / 1_000 / CPU_MILLIS
  }
})
