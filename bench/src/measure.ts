import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import type { Client, Round } from "./clients/Client.ts"
import type { Work } from "./Work.ts"

export interface Pace {
  /** Calls a second. */
  readonly rate: number
  /** Processor time of this process for one call, in microseconds: all its threads, the server apart. */
  readonly cpu: number
}

/**
 * Measures what `work` does until its round is over. No garbage is collected beforehand: after a forced collection
 * every client is slower for longer than a round lasts, by a third and more, and not all by the same.
 */
export const pace = async (millis: number, work: (round: Round) => Promise<unknown>): Promise<Pace> => {
  const round: Round = { over: false, calls: 0 }
  const cpu = process.cpuUsage()
  const start = performance.now()
  const done = work(round)
  await sleep(millis)
  round.over = true
  await done
  const elapsed = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return { rate: (round.calls / elapsed) * 1_000, cpu: (user + system) / round.calls }
}

/** The values in the order of a round: each round begins with another. */
export const rotated = <A>(values: ReadonlyArray<A>, round: number): ReadonlyArray<A> =>
  values.map((_, i) => values[(i + round) % values.length] as A)

/** Measures each of them once a round, after a round that does not count; by name, in the order of the rounds. */
export const interleaved = <Name extends string, A>(
  names: ReadonlyArray<Name>,
  rounds: number,
  one: (name: Name) => Promise<A>
) =>
  Effect.promise(async () => {
    const all = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Array<A>>
    for (const name of names) await one(name)
    for (let round = 0; round < rounds; round++) {
      for (const name of rotated(names, round)) all[name].push(await one(name))
    }
    return all as Readonly<Record<Name, ReadonlyArray<A>>>
  })

export const paceOf = (client: Client, work: Work, callers: number, millis: number): Promise<Pace> =>
  pace(millis, (round) => client.loop(work, callers, round))
