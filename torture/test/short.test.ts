import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chaos, plots } from "../src/run/chaos.ts"
import { report } from "../src/run/report.ts"

const what = { seed: 20_261_201, millis: 4_500, plots }

describe("the torture run, in short", () => {
  it.live(
    "keeps the promise on both wires under faults",
    () =>
      Effect.gen(function* () {
        const outcome = yield* chaos(what)
        expect(outcome.journal.violations, report(what, outcome)).toEqual([])
        expect(outcome.journal.faults.total).toBeGreaterThan(10)
        expect(outcome.journal.writes.get("acknowledged")).toBeGreaterThan(1_000)
        expect(outcome.journal.writes.get("unknown")).toBeGreaterThan(0)
      }),
    120_000
  )
})
