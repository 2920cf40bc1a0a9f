/** How long and how often a run measures. */
export interface Plan {
  readonly name: "full" | "quick"
  readonly rounds: number
  /** Of one client in one round. */
  readonly roundMillis: number
  readonly latencyMillis: number
  readonly connects: number
  readonly atOnce: number
  readonly restarts: number
  readonly waiting: number
}

export const full: Plan = {
  name: "full",
  rounds: 7,
  roundMillis: 350,
  latencyMillis: 1_000,
  connects: 200,
  atOnce: 1_000,
  restarts: 10,
  waiting: 100_000
}

export const quick: Plan = {
  name: "quick",
  rounds: 5,
  roundMillis: 60,
  latencyMillis: 150,
  connects: 30,
  atOnce: 1_000,
  restarts: 2,
  waiting: 100_000
}
