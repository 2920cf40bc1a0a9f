import { Effect } from "effect"
import type { Work } from "../Work.ts"
import type { Client, Round } from "./Client.ts"

type Call = (i: number) => Effect.Effect<unknown, unknown>

const loop = (call: Call, round: Round) =>
  Effect.gen(function* () {
    while (!round.over) yield* call(round.calls++)
  })

const timedLoop = (call: Call, round: Round, samples: Array<number>) =>
  Effect.gen(function* () {
    while (!round.over) {
      const start = performance.now()
      yield* call(round.calls++)
      samples.push(performance.now() - start)
    }
  })

const together = (count: number, one: Call) =>
  Effect.runPromise(
    Effect.forEach(
      Array.from({ length: count }, (_, i) => i),
      one,
      { concurrency: "unbounded", discard: true }
    )
  )

/** A client whose callers are fibers. */
export const ofEffects = (calls: Record<Work, Call>): Client => ({
  loop: (work, callers, round) => together(callers, () => loop(calls[work], round)),
  timedLoop: (work, callers, round, samples) =>
    together(callers, () => timedLoop(calls[work], round, samples)),
  burst: (work, count) => together(count, calls[work]),
  once: (work) => Effect.runPromise(calls[work](0))
})
