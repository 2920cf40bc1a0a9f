import { middleAndMost, table } from "../table.ts"
import { figures, type Measured } from "./measure.ts"

/** How far a figure may miss the contract on a busy machine before something must be broken. */
const GROSS = 3

const cell = (millis: ReadonlyArray<number | null>): string => {
  const came = millis.filter((value) => value !== null)
  const never = millis.length - came.length
  const [middle, most] = middleAndMost(came)
  return [
    ...(came.length === 0 ? [] : [`${middle} / ${most}`]),
    ...(never === 0 ? [] : [`never ×${never}`])
  ].join(", ")
}

/** Median and most, in milliseconds; a column for each client. */
export const figureTable = (measured: ReadonlyArray<Measured>): string => {
  const subjects = [...new Set(measured.map(({ subject }) => subject))]
  return table(
    ["median / most, ms", "contract", ...subjects],
    figures.map((figure) => [
      figure.name,
      `≤ ${figure.limit.toFixed(0)}`,
      ...subjects.map((subject) =>
        cell(measured.find((one) => one.figure === figure && one.subject === subject)?.millis ?? [])
      )
    ])
  )
}

/** Where the connector is grossly out of contract. */
export const outOfContract = (measured: ReadonlyArray<Measured>): ReadonlyArray<string> =>
  measured
    .filter(({ subject }) => subject === "connector")
    .filter(({ figure, millis }) => millis.some((value) => value === null || value > figure.limit * GROSS))
    .map(
      ({ figure, millis }) =>
        `${figure.name}: ${cell(millis)} ms, and the contract is ${figure.limit.toFixed(0)} ms`
    )
