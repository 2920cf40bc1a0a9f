import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect } from "effect"

setFlagsFromString("--expose-gc")
/** Collects garbage now. */
export const collect = runInNewContext("gc") as () => void

/** What this process holds. Memory is in bytes. */
export interface Snapshot {
  readonly heap: number
  readonly rss: number
  /** Timers, sockets and whatever else keeps an event loop busy, by kind. */
  readonly handles: Readonly<Record<string, number>>
}

/** What is left after garbage was collected, twice, since finalizers may free more. */
export const snapshot: Effect.Effect<Snapshot> = Effect.gen(function* () {
  collect()
  yield* Effect.sleep("50 millis")
  collect()
  const handles: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1
  // The timer of the sleep above is over, but its list may still be there.
  delete handles.Immediate
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed, rss, handles }
})

/** Kinds of handles of which there are more than before. */
export const grown = (before: Snapshot, after: Snapshot): ReadonlyArray<string> =>
  Object.entries(after.handles)
    .filter(([kind, count]) => count > (before.handles[kind] ?? 0))
    .map(([kind, count]) => `${kind}: ${before.handles[kind] ?? 0} before, ${count} after`)

export const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`
