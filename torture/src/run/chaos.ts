import type { NodeError } from "@echomq/test-node"
import { type Config, Effect, Schedule, type Scope } from "effect"
import { bounds, LINGER, patient } from "../Bounds.ts"
import { CalmClock } from "../CalmClock.ts"
import { type FaultKind, faultOf, faults } from "../faults/index.ts"
import { plan, type Step } from "../Plan.ts"
import { Prng } from "../Prng.ts"
import { type Plot, Site } from "../site/Site.ts"
import { Journal } from "./Journal.ts"
import { collect, grown, megabytes, type Snapshot, snapshot } from "./Snapshot.ts"
import { uncaught } from "./uncaught.ts"

export interface Chaos {
  readonly seed: number
  readonly millis: number
  readonly plots: ReadonlyArray<Plot>
}

export interface Outcome {
  readonly journal: Journal
  readonly before: Snapshot
  readonly after: Snapshot
  readonly stalls: CalmClock["stalls"]
}

const shape = { connectors: 2, callers: 4 }

/** Both wires, with and without a password, with nodes that are up at once or load for a while, and connectors more and less patient. */
export const plots: ReadonlyArray<Plot> = [
  { ...shape, bounds, name: "w4a", wire: 4, password: false, loading: 0 },
  { ...shape, bounds: patient, name: "w4b", wire: 4, password: true, loading: 600 },
  { ...shape, bounds: patient, name: "w6a", wire: 6, password: false, loading: 600 },
  { ...shape, bounds, name: "w6b", wire: 6, password: true, loading: 0 }
]

/** An epoch ends after so many faults, if none ends it before. */
const LONGEST_EPOCH = 8

/** Beyond this, memory that is not given back is a leak. */
const HEAP_SLACK = 24 * 2 ** 20

/** How far resident memory at the end may be above that at half time, in a run of some length. */
const GROWTH = 0.25
const SAMPLES = 20

/** How often resident memory is looked at. */
const SAMPLE_MILLIS = 5_000

type Failure = NodeError | Config.ConfigError

const strike = Effect.fnUntraced(function* (site: Site, step: Step<FaultKind>) {
  yield* Effect.sleep(step.gap)
  site.step = step
  site.journal.faults.add(step.kind)
  yield* Effect.scoped(faultOf(step.kind).strike(site, step)).pipe(
    Effect.timeoutOrElse({
      duration: "60 seconds",
      orElse: () => Effect.sync(() => site.violate("the step does not end"))
    })
  )
})

/** Epochs of faults at one site until the time is over. */
const torment = Effect.fnUntraced(function* (site: Site, seed: number, isOver: () => boolean) {
  const kinds = (Object.keys(faults) as Array<FaultKind>).filter(
    (kind) => faultOf(kind).where?.(site) ?? true
  )
  const steps = plan(new Prng(seed), kinds)
  while (!isOver()) {
    yield* site.muster()
    for (let count = 0; count < LONGEST_EPOCH && !isOver(); count++) {
      const step = steps.next().value
      yield* strike(site, step)
      if (faultOf(step.kind).ends) break
    }
    yield* site.settle()
    site.step = null
  }
})

/** After everything, each connector has one connection, and after their end there is none. */
const count = Effect.fnUntraced(function* (site: Site) {
  yield* site.muster()
  yield* site.settle()
  yield* Effect.sleep(LINGER)
  const open = yield* site.node.connections
  if (open !== site.members.length) site.violate(`${site.members.length} connectors have ${open} connections`)
  yield* site.disband
  yield* Effect.sleep(LINGER)
  const left = yield* site.node.connections
  if (left !== 0) site.violate(`${left} connections are left without a connector`)
  if (site.proxy.connections !== 0)
    site.violate(`${site.proxy.connections} connections are left at the proxy`)
})

const sites = Effect.fnUntraced(function* (
  { millis, plots, seed }: Chaos,
  clock: CalmClock,
  journal: Journal
): Effect.fn.Return<void, Failure, Scope.Scope> {
  const prng = new Prng(seed)
  const places = yield* Effect.forEach(plots, (plot) => Site.make(plot, clock, journal, prng.fork()))
  const end = performance.now() + millis
  yield* Effect.forEach(
    places,
    (site) => torment(site, prng.between(0, 0xffff_ffff), () => performance.now() > end),
    {
      concurrency: "unbounded"
    }
  )
  yield* Effect.forEach(places, count, { concurrency: "unbounded" })
})

/** Loads what a process loads once, so that it is not taken for a leak. */
const warmUp = ({ plots }: Chaos, clock: CalmClock) =>
  Effect.scoped(
    Effect.forEach(
      plots,
      (plot) =>
        Effect.gen(function* () {
          const site = yield* Site.make(plot, clock, new Journal(), new Prng(0))
          yield* site.muster()
          yield* Effect.sleep("500 millis")
          yield* site.settle()
          yield* site.disband
        }),
      { concurrency: "unbounded" }
    )
  )

/** Garbage is collected as well, so that what is resident is what is held and not what V8 has yet to clear. */
const sample = (journal: Journal) =>
  Effect.sync(() => {
    collect()
    journal.resident.push(process.memoryUsage.rss())
  }).pipe(Effect.repeat(Schedule.spaced(SAMPLE_MILLIS)), Effect.forkScoped)

/** The least that was resident in the tenth of the run that begins at this part of it: what is held, rather than what was needed for a moment. */
export const held = (samples: ReadonlyArray<number>, from: number): number => {
  const first = Math.floor(from * samples.length)
  return Math.min(...samples.slice(first, Math.max(first + 1, Math.ceil((from + 0.1) * samples.length))))
}

/** The whole run: faults, then the account. */
export const chaos = Effect.fnUntraced(function* (
  what: Chaos
): Effect.fn.Return<Outcome, Failure, Scope.Scope> {
  const journal = new Journal()
  const clock = yield* CalmClock.make
  yield* uncaught((problem) => journal.violate("process", "", problem))
  yield* warmUp(what, clock)
  yield* Effect.sleep(LINGER)
  const before = yield* snapshot
  yield* Effect.scoped(Effect.andThen(sample(journal), sites(what, clock, journal)))
  const after = yield* snapshot
  for (const more of grown(before, after)) journal.violate("process", "", `handles are left: ${more}`)
  if (after.heap - before.heap > HEAP_SLACK) {
    journal.violate(
      "process",
      "",
      `heap is left: ${megabytes(before.heap)} before, ${megabytes(after.heap)} after`
    )
  }
  const [middle, last] = [held(journal.resident, 0.5), held(journal.resident, 0.9)]
  if (journal.resident.length >= SAMPLES && last > middle * (1 + GROWTH)) {
    journal.violate(
      "process",
      "",
      `resident memory grew from ${megabytes(middle)} at half time to ${megabytes(last)}`
    )
  }
  return { journal, before, after, stalls: clock.stalls }
})
