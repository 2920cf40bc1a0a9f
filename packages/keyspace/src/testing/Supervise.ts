import { Deferred, Effect, type Scope, SubscriptionRef } from "effect"
import { Closed, type ConnectFailed, type Disconnected } from "../CallError.ts"
import type { AuthRefused, BootRefused, FatalError } from "../FatalError.ts"
import type { ConnectorMachine } from "../fence/Machine.ts"
import { isFinal, Status } from "../Status.ts"
import { Calls, judge } from "./Calls.ts"
import { connect, lost } from "./Connect.ts"
import type { Settings } from "./Limits.ts"
import type { MemoryNode } from "./MemoryNode.ts"
import type { End, Session } from "./Session.ts"

/** A connector's life, as its callers may see it. */
export interface Supervised<Pass> {
  readonly calls: Calls
  readonly status: SubscriptionRef.SubscriptionRef<Status>
  readonly stopped: Deferred.Deferred<never, FatalError | Closed>
  /** What the fence passed with on the latest connection. */
  readonly passed: Effect.Effect<Pass>
}

type Starting<Refusal> = ConnectFailed | AuthRefused | BootRefused | Refusal

const isPassing = (error: ConnectFailed | End): error is ConnectFailed | Disconnected =>
  error._tag === "ConnectFailed" || error._tag === "Disconnected"

/** Ends where a connection owes a sign of life for too long. */
const watch = (session: Session, { heartbeat, linkTimeout }: Settings): Effect.Effect<never, End> =>
  Effect.sleep(heartbeat).pipe(
    Effect.andThen(
      Effect.timeoutOrElse(session.send([["PING"]]), {
        duration: linkTimeout,
        orElse: () => Effect.fail(lost)
      })
    ),
    Effect.forever
  )

/**
 * Connects, and replaces a connection that is lost after the backoff, until a fatal refusal
 * or the end of the scope. Fails where the first attempt does.
 */
export const supervise = Effect.fnUntraced(function* <State, Pass, Refusal extends FatalError>(
  node: MemoryNode["Service"],
  machine: ConnectorMachine<State, Pass, Refusal>,
  settings: Settings
): Effect.fn.Return<Supervised<Pass>, Starting<Refusal>, Scope.Scope> {
  const status = yield* SubscriptionRef.make<Status>(Status.Connecting({ attempt: 1 }))
  const started = yield* Deferred.make<void, Starting<Refusal>>()
  const stopped = yield* Deferred.make<never, FatalError | Closed>()
  const calls = new Calls(settings, (session, error) => judge(machine, session, error))
  const { base, max } = settings.backoff
  let attempt = 0
  let passed: Pass

  const set = (next: Status) => SubscriptionRef.update(status, (now) => (isFinal(now) ? now : next))

  const end = (reason: FatalError | Closed, final: Status) =>
    Effect.suspend(() => {
      calls.shut(reason)
      Deferred.doneUnsafe(stopped, Effect.fail(reason))
      return set(final)
    })

  /** One connection, from the dial to its end. */
  const once = Effect.scoped(
    Effect.gen(function* () {
      yield* set(Status.Connecting({ attempt: ++attempt }))
      const { session, value } = yield* connect(node, machine, settings)
      attempt = 0
      passed = value
      yield* Effect.acquireRelease(
        Effect.sync(() => calls.open(session)),
        () => Effect.sync(() => calls.close())
      )
      yield* set(Status.Serving())
      yield* Deferred.succeed(started, undefined)
      return yield* Effect.raceFirst(session.ended, watch(session, settings))
    })
  )

  const live = Effect.gen(function* () {
    while (true) {
      const error = yield* Effect.flip(once)
      if (!Deferred.isDoneUnsafe(started)) return yield* Deferred.fail(started, error as Starting<Refusal>)
      if (error._tag === "Closed") return
      if (!isPassing(error)) return yield* end(error, Status.Stopped({ error }))
      yield* set(Status.Down({ error }))
      yield* Effect.sleep(Math.min(base * 2 ** Math.max(0, attempt - 1), max))
    }
  })

  yield* Effect.forkScoped(live)
  yield* Effect.addFinalizer(() => end(new Closed(), Status.Closed()))
  yield* Deferred.await(started)
  return {
    calls,
    status,
    stopped,
    passed: Effect.sync(() => passed)
  }
})
