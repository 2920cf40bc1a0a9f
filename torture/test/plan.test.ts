import { describe, expect, it } from "@effect/vitest"
import { plan } from "../src/Plan.ts"
import { Prng } from "../src/Prng.ts"

const steps = (seed: number, count: number) => {
  const source = plan(new Prng(seed), ["a", "b", "c"])
  return Array.from({ length: count }, () => source.next().value)
}

describe("the plan of a run", () => {
  it("is the same for the same seed, and another for another", () => {
    expect(steps(7, 50)).toEqual(steps(7, 50))
    expect(steps(7, 50)).not.toEqual(steps(8, 50))
  })

  it("has each kind once before any comes again", () => {
    const kinds = steps(1, 30).map(({ kind }) => kind)
    for (let i = 0; i < 30; i += 3) expect(kinds.slice(i, i + 3).sort()).toEqual(["a", "b", "c"])
  })
})
