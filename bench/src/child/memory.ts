import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"

export interface Memory {
  readonly resident: number
  /** What the JavaScript heap holds, and what its objects hold outside it. */
  readonly heap: number
}

/** The memory of this process once its garbage is collected. */
export const memory = Effect.promise(async (): Promise<Memory> => {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.()
    await sleep(50)
  }
  const { external, heapUsed, rss } = process.memoryUsage()
  return { resident: rss, heap: heapUsed + external }
})
