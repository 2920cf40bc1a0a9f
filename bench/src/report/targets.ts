import type { Target } from "../Section.ts"
import type { Ratio } from "../statistics.ts"
import { spread } from "./numbers.ts"

const rounded = (value: number): number => Math.round(value * 100) / 100

/** A ratio that must not be below the bound. */
export const atLeast = (what: string, bound: number, ratio: Ratio): Target => ({
  what,
  bound: `≥ ${bound}`,
  reached: spread(ratio),
  met: rounded(ratio.of) >= bound
})

/** A ratio that must not be above the bound. */
export const atMost = (what: string, bound: number, ratio: Ratio): Target => ({
  what,
  bound: `≤ ${bound}`,
  reached: spread(ratio),
  met: rounded(ratio.of) <= bound
})
