/** The value below which a part of the values lies. */
export const quantile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle) - 1] ?? Number.NaN)) / 2
}

/** The ratio of two medians, with the 10th and the 90th percentile of the ratios of values measured in the same round. */
export interface Ratio {
  readonly of: number
  readonly low: number
  readonly high: number
}

export const ratio = (above: ReadonlyArray<number>, below: ReadonlyArray<number>): Ratio => {
  const paired = above.map((value, i) => value / (below[i] ?? Number.NaN))
  return { of: median(above) / median(below), low: quantile(paired, 0.1), high: quantile(paired, 0.9) }
}
