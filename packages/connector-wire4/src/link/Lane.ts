import {
  Closed,
  type Command,
  type CommandError,
  CommandRefused,
  type ConnectFailed,
  Disconnected,
  type FatalError,
  type Fence,
  InexactInteger,
  type Lane,
  type Reply,
  ServerError
} from "@echomq/keyspace"
import { Deferred, Effect, Exit, Scope, Semaphore } from "effect"
import { encode, nameOf, oversize } from "./Arguments.ts"
import { connect } from "./Boot.ts"
import type { Link, Replies, Request } from "./Link.ts"
import type { Settings } from "./Options.ts"

/** A command may block for as long as its caller likes; a day is longest that the driver is told. */
const LONGEST_BLOCK = 86_400_000

interface Open {
  readonly link: Link
  readonly scope: Scope.Closeable
}

/** One round trip of a link, which comes to nothing where the link is lost. */
const roundTrip = (link: Link, request: Request): Effect.Effect<Replies> =>
  Effect.raceFirst(
    Effect.callback<Replies>((resume) =>
      link.send([request], false, (replies) => resume(Effect.succeed(replies)))
    ),
    Effect.as(link.loss, null)
  )

/**
 * Opens a lane: a fenced link of its own, replaced by another when it was lost or given
 * up. It ends with its scope, and with the connector.
 */
export const lane = Effect.fnUntraced(function* <State, Pass, Refusal extends FatalError>(
  settings: Settings,
  machine: Fence.ConnectorMachine<State, Pass, Refusal>,
  stopped: Deferred.Deferred<never, FatalError | Closed>
) {
  const oneAtATime = (yield* Semaphore.make(1)).withPermit
  const target = { ...settings.target, requestTimeout: LONGEST_BLOCK, blocks: true }
  const links = yield* Scope.make()
  let open: Open | null = null
  let closed = false

  const end = Effect.suspend(() => {
    closed = true
    open = null
    return Scope.close(links, Exit.void)
  })
  yield* Effect.addFinalizer(() => end)
  yield* Effect.forkScoped(Effect.exit(Deferred.await(stopped)).pipe(Effect.andThen(end)))

  /** Fails with what ended the lane. */
  const alive = Effect.suspend((): Effect.Effect<void, FatalError | Closed> => {
    if (Deferred.isDoneUnsafe(stopped)) return Deferred.await(stopped)
    return closed ? Effect.fail(new Closed()) : Effect.void
  })

  const dial = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const scope = yield* Scope.fork(links)
      const { link } = yield* restore(connect({ ...settings, target }, machine)).pipe(
        Scope.provide(scope),
        // An end meanwhile closes the link, which would look like a failure of its own.
        Effect.catch((error) => Effect.andThen(alive, Effect.fail(error))),
        Effect.tap(() => alive),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
      open = { link, scope }
      return open
    })
  )

  const giveUp = (held: Open) =>
    Effect.suspend(() => {
      if (open === held) open = null
      return Scope.close(held.scope, Exit.void)
    })

  const answer = (held: Open, replies: Replies): Effect.Effect<Reply, CommandError> => {
    if (replies === null)
      return giveUp(held).pipe(
        Effect.andThen(alive),
        Effect.andThen(Effect.fail(new Disconnected({ outcome: "unknown" })))
      )
    const reply = replies instanceof ServerError ? replies : (replies[0] ?? null)
    if (reply instanceof InexactInteger) return Effect.fail(reply)
    if (!(reply instanceof ServerError)) return Effect.succeed(reply)
    const served = machine.served(reply)
    if (served._tag === "Keep") return Effect.fail(reply)
    return Effect.andThen(giveUp(held), Effect.fail(served._tag === "Refuse" ? served.error : reply))
  }

  const send = (held: Open, request: Request): Effect.Effect<Reply, CommandError> =>
    roundTrip(held.link, request).pipe(
      Effect.onInterrupt(() => giveUp(held)),
      Effect.flatMap((replies) => answer(held, replies))
    )

  yield* alive
  yield* dial
  const lane: Lane = {
    command: (command: Command, options) =>
      Effect.suspend((): Effect.Effect<Reply, CommandError | ConnectFailed> => {
        const args = encode(command, true)
        if (args instanceof CommandRefused) return Effect.fail(args)
        const refused = oversize(args, settings.commandLimit)
        if (refused !== null) return Effect.fail(refused)
        const request = { name: nameOf(args), args, bytes: options?.bytes === true }
        return oneAtATime(
          alive.pipe(
            Effect.andThen(Effect.suspend(() => (open === null ? dial : Effect.succeed(open)))),
            Effect.flatMap((held) => send(held, request))
          )
        )
      })
  }
  return lane
})
