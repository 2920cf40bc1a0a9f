import type { Prng } from "./Prng.ts"

/** One fault to come. All chance in it was drawn beforehand, so that a seed gives the same faults whatever happens. */
export interface Step<Kind extends string = string> {
  readonly index: number
  readonly kind: Kind
  /** How long nothing is done to anyone before it, in milliseconds. */
  readonly gap: number
  /** How long it lasts, in milliseconds. */
  readonly hold: number
  /** What it is like in particular: numbers from 0 up to 1. */
  readonly dice: readonly [number, number, number]
}

/** Steps without end: each kind once in random order, and again. Short gaps and holds are the most frequent. */
export function* plan<Kind extends string>(
  prng: Prng,
  kinds: ReadonlyArray<Kind>
): Generator<Step<Kind>, never> {
  for (let index = 1; ; ) {
    for (const kind of prng.shuffled(kinds)) {
      yield {
        index: index++,
        kind,
        gap: 30 + Math.floor(prng.next() ** 2 * 400),
        hold: 10 + Math.floor(prng.next() ** 2 * 2_500),
        dice: [prng.next(), prng.next(), prng.next()]
      }
    }
  }
}
