import { Deferred, Effect, Exit, Scope, Semaphore } from "effect"
import { nameOf } from "../Arguments.ts"
import { Closed, CommandRefused, type ConnectFailed, ServerError } from "../CallError.ts"
import type { CommandError, Lane } from "../Connector.ts"
import type { FatalError } from "../FatalError.ts"
import { type ConnectorMachine, keep } from "../fence/Machine.ts"
import type { Reply } from "../Reply.ts"
import { binary } from "./Binary.ts"
import { encode, outcomeOf } from "./Calls.ts"
import { connect, lost } from "./Connect.ts"
import type { Settings } from "./Limits.ts"
import type { MemoryNode } from "./MemoryNode.ts"
import { decode } from "./Raw.ts"
import type { Session } from "./Session.ts"

/**
 * A fenced connection of its own, replaced by another when it was lost or given up. It ends
 * with its scope, and with the connector.
 */
export const lane = Effect.fnUntraced(function* <State, Pass, Refusal extends FatalError>(
  node: MemoryNode["Service"],
  machine: ConnectorMachine<State, Pass, Refusal>,
  settings: Settings,
  stopped: Deferred.Deferred<never, FatalError | Closed>
): Effect.fn.Return<Lane, ConnectFailed | FatalError | Closed, Scope.Scope> {
  const oneAtATime = (yield* Semaphore.make(1)).withPermit
  const connections = yield* Scope.make()
  let open: Session | null = null
  let over: FatalError | Closed | null = null

  const end = (reason: FatalError | Closed) =>
    Effect.suspend(() => {
      over ??= reason
      open?.end(over)
      open = null
      return Scope.close(connections, Exit.void)
    })
  yield* Effect.addFinalizer(() => end(new Closed()))
  yield* Effect.forkScoped(Effect.flatMap(Effect.flip(Deferred.await(stopped)), end))

  /** Fails with what ended the lane. */
  const alive = Effect.suspend((): Effect.Effect<void, FatalError | Closed> => {
    if (Deferred.isDoneUnsafe(stopped)) return Deferred.await(stopped)
    return over === null ? Effect.void : Effect.fail(over)
  })

  const dial = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const scope = yield* Scope.fork(connections)
      const { session } = yield* restore(connect(node, machine, settings)).pipe(
        Scope.provide(scope),
        Effect.tap(() => alive),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
      open = session
      return session
    })
  )

  const giveUp = (session: Session) =>
    Effect.sync(() => {
      if (open === session) open = null
      session.end(lost)
    })

  /** A reply that is a verdict on the node costs the connection. */
  const answer = (session: Session, reply: Reply): Effect.Effect<Reply, CommandError> => {
    const served = reply instanceof ServerError ? machine.served(reply) : keep
    if (served._tag === "Keep") return outcomeOf(reply)
    const failure: Effect.Effect<Reply, CommandError> =
      served._tag === "Refuse" ? Effect.fail(served.error) : outcomeOf(reply)
    return Effect.andThen(giveUp(session), failure)
  }

  yield* dial
  return {
    command: (command, options) =>
      Effect.suspend((): Effect.Effect<Reply, CommandError | ConnectFailed> => {
        const args = encode(command, true)
        if (args instanceof CommandRefused) return Effect.fail(args)
        const form = { command: nameOf(args), bytes: options?.bytes === true }
        const send = (session: Session): Effect.Effect<Reply, CommandError> =>
          session.call([args.map(binary)]).pipe(
            Effect.onInterrupt(() => giveUp(session)),
            Effect.tapError(() => (session.isEnded ? giveUp(session) : Effect.void)),
            Effect.flatMap((raws) =>
              answer(session, decode(raws instanceof ServerError ? raws : (raws[0] ?? null), form))
            )
          )
        return oneAtATime(
          alive.pipe(
            Effect.andThen(Effect.suspend(() => (open === null ? dial : Effect.succeed(open)))),
            Effect.flatMap(send)
          )
        )
      })
  }
})
