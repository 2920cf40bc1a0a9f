import {
  type AuthRefused,
  type BootRefused,
  Closed,
  type ConnectFailed,
  Disconnected,
  type FatalError,
  type Fence,
  isFinal,
  type ServerError,
  Status,
  type Wire
} from "@echomq/keyspace"
import { Clock, Deferred, Duration, Effect, Schedule, type Scope, SubscriptionRef } from "effect"
import { connect } from "./Boot.ts"
import type { Link } from "./Link.ts"
import type { Settings } from "./Options.ts"
import { Outbox } from "./Outbox.ts"
import { telemetry } from "./Telemetry.ts"

/** A connector's life, as its callers may see it. */
export interface Supervised<Pass> {
  readonly outbox: Outbox
  readonly status: SubscriptionRef.SubscriptionRef<Status>
  readonly stopped: Deferred.Deferred<never, FatalError | Closed>
  readonly reconnects: () => number
  /** What the fence passed with on the latest connection. */
  readonly passed: () => Pass
}

/** How often the link is looked after, at most and at least: a part of the shortest bound that it keeps. */
const tickOf = ({ commandTimeout, heartbeat, linkTimeout }: Settings): number =>
  Math.min(500, Math.max(5, Math.min(commandTimeout, heartbeat, linkTimeout) / 8))

/** Keeps the time-outs and the heartbeat of one link; returns when that has been silent too long. */
const watch = Effect.fnUntraced(function* (
  outbox: Outbox,
  settings: Settings,
  publish: (outbox: Outbox) => void
) {
  let silent = false
  while (true) {
    yield* Effect.sleep(tickOf(settings))
    outbox.expire(settings.commandTimeout)
    outbox.beat(settings.heartbeat)
    publish(outbox)
    // Twice in a row, since after a stall of this process the answers are there but unread.
    const before = silent
    silent = outbox.isSilent(settings.linkTimeout)
    if (silent && before) return
  }
})

const backoff = ({ backoff: { base, max } }: Settings) =>
  Schedule.exponential(base).pipe(
    Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, Duration.millis(max)))),
    Schedule.jittered
  )

/** What the next attempt may change, as against a fatal refusal. */
type Passing = ConnectFailed | Disconnected

const lost = new Disconnected({ outcome: "unknown" })

const isPassing = (error: Passing | FatalError): error is Passing =>
  error._tag === "ConnectFailed" || error._tag === "Disconnected"

/**
 * Connects, and from then on keeps a fenced link under the outbox: a lost one is
 * replaced after the backoff, until a fatal refusal or the end of the scope. Fails
 * where the first attempt does.
 */
export const supervise = Effect.fnUntraced(function* <State, Pass, Refusal extends FatalError>(
  wire: Wire,
  settings: Settings,
  machine: Fence.ConnectorMachine<State, Pass, Refusal>
): Effect.fn.Return<Supervised<Pass>, ConnectFailed | AuthRefused | BootRefused | Refusal, Scope.Scope> {
  const status = yield* SubscriptionRef.make<Status>(Status.Connecting({ attempt: 1 }))
  const stopped = yield* Deferred.make<never, FatalError | Closed>()
  const started = yield* Deferred.make<void, ConnectFailed | AuthRefused | BootRefused | Refusal>()
  let verdict = Deferred.makeUnsafe<never, Disconnected | Refusal>()
  let attempt = 0
  let connections = 0
  let passed: Pass
  const { changed, landed, publish } = yield* telemetry(wire, settings)
  const judge = (error: ServerError) => {
    const served = machine.served(error)
    if (served._tag === "Redial") Deferred.doneUnsafe(verdict, Effect.fail(lost))
    if (served._tag === "Refuse") Deferred.doneUnsafe(verdict, Effect.fail(served.error))
  }
  const outbox = new Outbox(yield* Clock.Clock, settings, { onError: judge, onReplies: landed })

  const set = (next: Status) =>
    Effect.suspend(() => {
      if (isFinal(SubscriptionRef.getUnsafe(status))) return Effect.void
      publish(outbox)
      return Effect.andThen(SubscriptionRef.set(status, next), changed(next, connections > 1))
    })

  /** Who learns of the end by `stopped` finds it in the status. */
  const end = (final: Status, reason: FatalError | Closed) =>
    Effect.suspend(() => {
      outbox.shut(reason)
      return Effect.andThen(set(final), Deferred.fail(stopped, reason))
    }).pipe(Effect.uninterruptible)

  /** Serves until the link is lost or silent, or a reply is a verdict on the node. */
  const serve = (link: Link) => {
    verdict = Deferred.makeUnsafe()
    outbox.open(link)
    return Effect.raceAllFirst([
      Effect.andThen(link.loss, Effect.fail(lost)),
      Effect.andThen(watch(outbox, settings, publish), Effect.fail(lost)),
      Deferred.await(verdict)
    ])
  }

  /** One connection, from the dial to its loss. */
  const once = Effect.scoped(
    Effect.gen(function* () {
      yield* set(Status.Connecting({ attempt: ++attempt }))
      const { link, value } = yield* connect(settings, machine)
      attempt = 0
      connections++
      passed = value
      yield* Effect.addFinalizer(() => Effect.sync(() => outbox.shut(lost)))
      const serving = serve(link)
      yield* set(Status.Serving())
      yield* Deferred.succeed(started, undefined)
      return yield* serving
    })
  )

  const running = () => Deferred.isDoneUnsafe(started)

  yield* once.pipe(
    Effect.tapError((error) => (isPassing(error) ? set(Status.Down({ error })) : Effect.void)),
    Effect.retry({
      schedule: backoff(settings),
      while: (error) => error._tag === "ConnectFailed" && running()
    }),
    // A connection that was fenced resets the backoff, but not to nothing.
    Effect.retry({
      schedule: Schedule.jittered(Schedule.spaced(settings.backoff.base)),
      while: (error) => error._tag === "Disconnected"
    }),
    Effect.catch((error) =>
      isPassing(error) || !running()
        ? Deferred.fail(started, error as Exclude<typeof error, Disconnected>)
        : end(Status.Stopped({ error }), error)
    ),
    // A defect of a plugged-in part must not leave the start waiting.
    Effect.onError((cause) => Deferred.failCause(started, cause)),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => end(Status.Closed(), new Closed()))
  yield* Deferred.await(started)
  return {
    outbox,
    status,
    stopped,
    reconnects: () => connections - 1,
    passed: () => passed
  }
})
