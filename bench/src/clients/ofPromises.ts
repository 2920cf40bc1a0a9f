import type { Work } from "../Work.ts"
import type { Client, Round } from "./Client.ts"

type Call = (i: number) => Promise<unknown>

const loop = async (call: Call, round: Round) => {
  while (!round.over) await call(round.calls++)
}

const timedLoop = async (call: Call, round: Round, samples: Array<number>) => {
  while (!round.over) {
    const start = performance.now()
    await call(round.calls++)
    samples.push(performance.now() - start)
  }
}

const together = async (count: number, one: Call) => {
  await Promise.all(Array.from({ length: count }, (_, i) => one(i)))
}

/** A client whose callers are async functions. */
export const ofPromises = (calls: Record<Work, Call>): Client => ({
  loop: (work, callers, round) => together(callers, () => loop(calls[work], round)),
  timedLoop: (work, callers, round, samples) =>
    together(callers, () => timedLoop(calls[work], round, samples)),
  burst: (work, count) => together(count, calls[work]),
  once: (work) => calls[work](0)
})
