/** How long and how often a run measures. */
export interface Plan {
  readonly name: "full" | "quick"
  /** Several and short: at one caller a round is fast or slow as a whole, by where the system put the threads. */
  readonly rounds: number
  /** Of each client, once for all: compiled code is measured. */
  readonly warmMillis: number
  /** Of one client in one round. */
  readonly roundMillis: number
  readonly latencyMillis: number
  /** Its cells are many and slow. */
  readonly growthRounds: number
  readonly connects: number
  readonly atOnce: number
  readonly restarts: number
  readonly waiting: number
}

export const full: Plan = {
  name: "full",
  rounds: 11,
  warmMillis: 2_000,
  roundMillis: 250,
  latencyMillis: 300,
  growthRounds: 5,
  connects: 200,
  atOnce: 1_000,
  restarts: 10,
  waiting: 100_000
}

export const quick: Plan = {
  name: "quick",
  rounds: 5,
  warmMillis: 500,
  roundMillis: 120,
  latencyMillis: 100,
  growthRounds: 2,
  connects: 30,
  atOnce: 1_000,
  restarts: 2,
  waiting: 100_000
}
