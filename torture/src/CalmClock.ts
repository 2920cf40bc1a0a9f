import { Effect, type Scope } from "effect"

const TICK_MILLIS = 10

/** A longer pause between two ticks is a stall of this process, not time that anyone had. */
const MOST_MILLIS = 60

/**
 * Milliseconds in which this process could run. Machines are shared, and a time-out cannot be kept by a process
 * that gets no processor; the stalls are counted, so that the connectors cannot hide one that they cause.
 */
export class CalmClock {
  #calm = 0
  #last = performance.now()
  #stalled = 0
  #worst = 0

  static readonly make: Effect.Effect<CalmClock, never, Scope.Scope> = Effect.gen(function* () {
    const clock = new CalmClock()
    yield* Effect.acquireRelease(
      Effect.sync(() => setInterval(() => clock.#tick(), TICK_MILLIS).unref()),
      (timer) => Effect.sync(() => clearInterval(timer))
    )
    return clock
  })

  #tick(): void {
    const now = performance.now()
    const passed = now - this.#last
    this.#last = now
    this.#calm += Math.min(passed, MOST_MILLIS)
    if (passed <= MOST_MILLIS) return
    this.#stalled += passed - MOST_MILLIS
    this.#worst = Math.max(this.#worst, passed)
  }

  get now(): number {
    this.#tick()
    return this.#calm
  }

  /** How long this process was stalled in all, and at worst. */
  get stalls(): { readonly total: number; readonly worst: number } {
    return { total: this.#stalled, worst: this.#worst }
  }
}
