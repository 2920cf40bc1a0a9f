import type { Effect, Scope } from "effect"
import type { Plan } from "./Plan.ts"

export interface Table {
  readonly title: string
  readonly head: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** What was to be shown, and what was. */
export interface Target {
  readonly what: string
  readonly bound: string
  readonly reached: string
  readonly met: boolean
}

export interface Series {
  readonly name: string
  readonly values: ReadonlyArray<number>
}

/** Lines over a row of named points. */
export interface Panel {
  readonly title: string
  readonly points: ReadonlyArray<string>
  readonly series: ReadonlyArray<Series>
}

/** What one section of the benchmark measured. */
export interface Findings {
  readonly title: string
  readonly tables: ReadonlyArray<Table>
  readonly targets: ReadonlyArray<Target>
  readonly panels: ReadonlyArray<Panel>
}

export type Section = (plan: Plan) => Effect.Effect<Findings, unknown, Scope.Scope>
