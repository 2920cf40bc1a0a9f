import type { Command, CommandError, Reply } from "@echomq/keyspace"
import { Effect, type Exit, Fiber, References } from "effect"
import { type Bounds, SETTLE_SLACK } from "../Bounds.ts"
import type { CalmClock } from "../CalmClock.ts"
import type { Entry } from "../ledger/Entry.ts"
import { settle } from "../ledger/Ledger.ts"
import { encode } from "../ledger/Value.ts"
import type { Prng } from "../Prng.ts"
import type { Journal } from "../run/Journal.ts"
import type { Member } from "./Member.ts"
import type { Writes } from "./Writes.ts"

/** Where a caller works. */
export interface Workplace {
  readonly member: Member
  readonly bounds: Bounds
  readonly writes: Writes
  readonly clock: CalmClock
  readonly journal: Journal
  readonly violate: (what: string) => void
  /** Whether there is still work. */
  readonly isOpen: () => boolean
}

type Send = (commands: ReadonlyArray<Command>) => Effect.Effect<Reply | ReadonlyArray<Reply>, CommandError>

/** The tags after which a connector never serves again. */
const final = new Set([
  "Closed",
  "VersionFence",
  "AuthRefused",
  "BootRefused",
  "EmqAbsent",
  "EmqVersion",
  "ClientRule"
])

/** One call of one or more writes, entered in the ledger at the moment at which the connector takes it. */
const call = (
  place: Workplace,
  sizes: ReadonlyArray<number>,
  send: Send,
  atomic = false,
  cutShort?: number
) =>
  Effect.gen(function* () {
    const { bounds, clock, journal, member, violate, writes } = place
    let entries: ReadonlyArray<Entry> = []
    let started = 0
    const made = Effect.flatMap(member.connector.stats, ({ reconnects }) => {
      started = clock.now
      entries = member.ledger.enter(sizes, reconnects, atomic)
      return send(entries.map(({ n, size }) => writes.command(member.ledger.name, n, encode(n, size))))
    }).pipe(
      // Between the entry and the acceptance no other fiber may run, or the order of both could differ.
      Effect.provideService(References.PreventSchedulerYield, true)
    )
    const exit = yield* cutShort === undefined ? Effect.exit(made) : interrupted(made, cutShort)
    // Interrupted before it was made.
    if (entries.length === 0) return "interrupted"
    const took = clock.now - started
    const { tag, wrong } = settle(entries, exit)
    for (const problem of wrong) violate(problem)
    if (took > bounds.commandTimeout + SETTLE_SLACK) {
      violate(`a call settled as ${tag} after ${Math.round(took)} ms, made on link ${entries[0]?.link}`)
    }
    journal.slowest = Math.max(journal.slowest, took)
    journal.calls.add(tag)
    for (const { outcome } of entries) journal.writes.add(outcome)
    if (final.has(tag)) member.over ??= tag
    return tag
  })

const interrupted = <A, E>(effect: Effect.Effect<A, E>, after: number): Effect.Effect<Exit.Exit<A, E>> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* Effect.sleep(after)
    yield* Fiber.interrupt(fiber)
    return yield* Fiber.await(fiber)
  })

const KILO = 1_024

/** Calls that must be refused before anything is sent. */
const refused: readonly [Command, ...ReadonlyArray<Command>] = [
  ["AUTH", "x"],
  ["SELECT", 1],
  ["BLPOP", "x", 0],
  ["SUBSCRIBE", "x"],
  ["MULTI"]
]

/** A call that no connector may take. */
const never = (place: Workplace, what: string, made: Effect.Effect<string>) =>
  Effect.tap(made, (tag) =>
    Effect.sync(() => {
      if (tag === "reply") place.violate(`${what} was sent`)
    })
  )

/** One piece of work, drawn by its share. */
const work = (place: Workplace, prng: Prng): Effect.Effect<string> => {
  const { bounds, member } = place
  const { connector } = member
  const single: Send = ([command = []]) => connector.command(command)
  const small = (least: number, most: number) => new Array<number>(prng.between(least, most)).fill(0)
  const share = prng.between(0, 99)
  if (share < 46) return call(place, [0], single)
  if (share < 62) return call(place, small(2, 20), connector.pipeline)
  if (share < 76) return call(place, small(2, 6), connector.transaction, true)
  if (share < 84) return call(place, [0], single, false, prng.between(0, 4))
  if (share < 87) return call(place, small(2, 9), connector.pipeline, false, prng.between(0, 4))
  if (share < 90) return call(place, small(2, 6), connector.transaction, true, prng.between(0, 4))
  if (share < 92) return call(place, [prng.between(16, 128) * KILO], single)
  if (share < 94) return call(place, [0, prng.between(1, 48) * KILO, 0], connector.transaction, true)
  if (share < 96) {
    const bad = prng.pick(refused)
    return never(
      place,
      `${bad[0]}`,
      call(place, [0, 0], (commands) => connector.pipeline([...commands, bad]))
    )
  }
  if (share < 98) {
    const many = small(bounds.pendingLimit + 1, bounds.pendingLimit + 50)
    return never(place, `a pipeline of ${many.length}`, call(place, many, connector.pipeline))
  }
  // At once, as many as may wait beside what the others have waiting; or a stream of batches, each a tick later.
  const pause = share < 99 ? 0 : 1
  const many = small(Math.floor(bounds.pendingLimit / 3), bounds.pendingLimit)
  return Effect.forEach(many, (_, i) => Effect.delay(call(place, [0], single), i * pause), {
    concurrency: "unbounded"
  }).pipe(Effect.map((tags) => tags.at(-1) ?? ""))
}

/** A caller: one piece of work after the other, until there is none or its connector is over. */
export const caller = (place: Workplace, prng: Prng): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (place.isOpen() && place.member.over === null) {
      const tag = yield* work(place, prng)
      yield* Effect.sleep(tag === "reply" ? prng.between(2, 20) : prng.between(5, 40))
    }
  })
