import type { Ratio } from "../statistics.ts"

/** A whole number, thousands set apart. */
export const whole = (value: number): string => value.toLocaleString("en")

/** A number as people read it: about three significant digits, thousands set apart. */
export const short = (value: number): string => {
  if (!Number.isFinite(value)) return "–"
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export const spread = ({ high, low, of }: Ratio): string =>
  `${of.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`
