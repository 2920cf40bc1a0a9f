import { Tally } from "./Tally.ts"

/** Something that the contract rules out, with what it takes to see it again: the seed is the run's. */
export interface Violation {
  readonly site: string
  /** The number of the site's step, and its fault. */
  readonly step: string
  readonly what: string
}

/** What happened in a run. */
export class Journal {
  readonly faults = new Tally()
  /** How calls ended, by tag or by what the server said. */
  readonly calls = new Tally()
  /** What their writes came to. */
  readonly writes = new Tally()
  /** How connectors stopped, by tag. */
  readonly stops = new Tally()
  readonly violations: Array<Violation> = []
  /** From the end of a fault until every connector serves, in milliseconds, by fault. */
  readonly recoveries = new Map<string, Array<number>>()
  /** Resident memory in bytes, at regular times. */
  readonly resident: Array<number> = []
  connectors = 0
  reconnects = 0
  epochs = 0
  /** The longest that a call took to settle. */
  slowest = 0

  violate(site: string, step: string, what: string): void {
    this.violations.push({ site, step, what })
  }

  recovered(fault: string, millis: number): void {
    this.recoveries.set(fault, [...(this.recoveries.get(fault) ?? []), millis])
  }
}
