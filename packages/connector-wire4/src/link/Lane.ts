import {
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
import { Effect, Exit, Scope, Semaphore } from "effect"
import { encode, nameOf } from "./Arguments.ts"
import { connect } from "./Boot.ts"
import type { Link, Replies, Request } from "./Link.ts"
import type { Settings } from "./Options.ts"

/** A command may block for as long as its caller likes; a day is longest that the driver is told. */
const LONGEST_BLOCK = 86_400_000

const CLIENT_ID: Request = { name: "CLIENT", args: ["CLIENT", "ID"], bytes: false }

interface Open {
  readonly link: Link
  readonly clientId: Reply
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
 * up. `killClient` has the server drop the connection of a caller that was interrupted.
 */
export const lane = Effect.fnUntraced(function* <State, Pass, Refusal extends FatalError>(
  settings: Settings,
  machine: Fence.ConnectorMachine<State, Pass, Refusal>,
  killClient: (clientId: number) => Effect.Effect<void>
) {
  const outer = yield* Effect.scope
  const oneAtATime = (yield* Semaphore.make(1)).withPermit
  const target = { ...settings.target, requestTimeout: LONGEST_BLOCK, probes: false }
  let open: Open | null = null

  /** A fenced link, and the server's name for it; none where the user may not ask. */
  const identified = Effect.flatMap(connect({ ...settings, target }, machine), ({ link }) =>
    roundTrip(link, CLIENT_ID).pipe(
      Effect.timeoutOrElse({ duration: target.connectTimeout, orElse: () => Effect.succeed(null) }),
      Effect.map((replies) => [link, Array.isArray(replies) ? replies[0] : null] as const)
    )
  )

  const dial = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const scope = yield* Scope.fork(outer)
      const [link, clientId] = yield* restore(identified).pipe(
        Scope.provide(scope),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
      open = { link, clientId, scope }
      return open
    })
  )

  /** The server still waits on the behalf of a caller that is gone, and the driver lets the socket linger. */
  const kill = ({ clientId }: Open) => (typeof clientId === "number" ? killClient(clientId) : Effect.void)

  const giveUp = ({ scope }: Open) =>
    Effect.suspend(() => {
      open = null
      return Scope.close(scope, Exit.void)
    })

  const answer = (held: Open, replies: Replies): Effect.Effect<Reply, CommandError> => {
    if (replies === null)
      return Effect.andThen(giveUp(held), Effect.fail(new Disconnected({ outcome: "unknown" })))
    const reply = replies instanceof ServerError ? replies : (replies[0] ?? null)
    if (reply instanceof InexactInteger) return Effect.fail(reply)
    if (!(reply instanceof ServerError)) return Effect.succeed(reply)
    const served = machine.served(reply)
    if (served._tag === "Keep") return Effect.fail(reply)
    return Effect.andThen(giveUp(held), Effect.fail(served._tag === "Refuse" ? served.error : reply))
  }

  const send = (held: Open, request: Request): Effect.Effect<Reply, CommandError> =>
    roundTrip(held.link, request).pipe(
      Effect.onInterrupt(() => Effect.andThen(kill(held), giveUp(held))),
      Effect.flatMap((replies) => answer(held, replies))
    )

  yield* dial
  const lane: Lane = {
    command: (command: Command, options) =>
      Effect.suspend((): Effect.Effect<Reply, CommandError | ConnectFailed> => {
        const args = encode(command, true)
        if (args instanceof CommandRefused) return Effect.fail(args)
        const request = { name: nameOf(args), args, bytes: options?.bytes === true }
        return oneAtATime(
          Effect.flatMap(
            Effect.suspend(() => (open === null ? dial : Effect.succeed(open))),
            (held) => send(held, request)
          )
        )
      })
  }
  return lane
})
