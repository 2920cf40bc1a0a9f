/** Counts by name. */
export class Tally {
  readonly #counts = new Map<string, number>()

  add(name: string, count = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count)
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0)
  }

  /** The most frequent first. */
  get entries(): ReadonlyArray<readonly [string, number]> {
    return [...this.#counts].sort(([, a], [, b]) => b - a)
  }
}
