/** A seeded source of chance (mulberry32): the same seed, the same numbers. */
export class Prng {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number of the range, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  pick<A>(list: readonly [A, ...ReadonlyArray<A>]): A {
    return list[this.between(0, list.length - 1)] as A
  }

  shuffled<A>(list: ReadonlyArray<A>): Array<A> {
    const result = [...list]
    for (let i = result.length - 1; i > 0; i--) {
      const j = this.between(0, i)
      ;[result[i], result[j]] = [result[j] as A, result[i] as A]
    }
    return result
  }

  /** A source of its own, so that what draws from one does not change what the other gives. */
  fork(): Prng {
    return new Prng(this.between(0, 0xffff_ffff))
  }
}
