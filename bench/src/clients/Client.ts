import type { Effect, Scope } from "effect"
import type { Work } from "../Work.ts"

/** A stretch of time in which callers make calls; they stop when it is over. */
export interface Round {
  over: boolean
  calls: number
}

/** A connected client, as its callers use it: from loops of promises, or from fibers. */
export interface Client {
  /** Has `callers` callers make one call after another; done when each has had its last reply. */
  readonly loop: (work: Work, callers: number, round: Round) => Promise<void>
  /** The same, and notes how many milliseconds each call took. */
  readonly timedLoop: (work: Work, callers: number, round: Round, samples: Array<number>) => Promise<void>
  /** Makes `count` calls at once. */
  readonly burst: (work: Work, count: number) => Promise<void>
  readonly once: (work: Work) => Promise<unknown>
}

/** Connects to the server on a port; the scope disconnects. */
export type Open = (port: number) => Effect.Effect<Client, unknown, Scope.Scope>
