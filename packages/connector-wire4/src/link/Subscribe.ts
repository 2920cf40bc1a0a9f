import {
  type FatalError,
  type Fence,
  type Message,
  ServerError,
  type SubscribeError,
  type SubscribeOptions
} from "@echomq/keyspace"
import { Effect, Queue, Stream } from "effect"
import { connect, failure } from "./Boot.ts"
import { Dialer, type Subscription } from "./Dialer.ts"
import type { Link, Request } from "./Link.ts"
import type { Settings } from "./Options.ts"

/** How many messages wait for a consumer that gives no bound of its own. */
const BUFFER = 1_024

const credentialsOf = Effect.fnUntraced(function* ({ credentials }: Settings) {
  if (credentials === null) return null
  const password = yield* credentials.password
  const { username } = credentials
  return username === undefined ? { password } : { username, password }
})

const request = (...args: ReadonlyArray<string>): Request => ({ name: args[0] ?? "", args, bytes: false })

/**
 * Asks whether the subscription would be allowed, by queueing it in a transaction that is
 * discarded: the driver would try a forbidden one again without a pause, and say nothing.
 */
const permitted = (link: Link, mode: Subscription["mode"], names: ReadonlyArray<string>) =>
  Effect.callback<void, ServerError>((resume) =>
    link.send(
      [
        request("MULTI"),
        request(mode === "channels" ? "SUBSCRIBE" : "PSUBSCRIBE", ...names),
        request("DISCARD")
      ],
      false,
      (replies) => {
        const queued = Array.isArray(replies) ? replies[1] : null
        resume(queued instanceof ServerError ? Effect.fail(queued) : Effect.void)
      }
    )
  )

const inTime = <A, E, R>(settings: Settings, effect: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(effect, {
    duration: settings.target.connectTimeout,
    orElse: () => Effect.fail(failure(settings, "timeout", ""))
  })

/** Subscribes over a connection of its own, once a link to the node has passed the fence. Ends as `stopped` does. */
export const subscribe = <State, Pass, Refusal extends FatalError>(
  settings: Settings,
  machine: Fence.Machine<State, Pass, Refusal>,
  stopped: Effect.Effect<never, SubscribeError>,
  mode: Subscription["mode"],
  names: ReadonlyArray<string>,
  options: SubscribeOptions | undefined
): Stream.Stream<Message, SubscribeError> =>
  Stream.callback<Message, SubscribeError>(
    (queue) =>
      Effect.gen(function* () {
        const dialer = yield* Dialer
        yield* inTime(
          settings,
          Effect.scoped(
            Effect.flatMap(connect(settings, machine), ({ link }) =>
              Effect.raceFirst(permitted(link, mode, names), Effect.asVoid(link.loss))
            )
          )
        )
        const credentials = yield* credentialsOf(settings)
        yield* inTime(
          settings,
          dialer.subscribe(settings.target, {
            mode,
            names,
            credentials,
            onMessage: (message) => Queue.offerUnsafe(queue, message)
          })
        )
        yield* options?.onSubscribed ?? Effect.void
      }),
    { bufferSize: options?.buffer ?? BUFFER, strategy: "sliding" }
  ).pipe(Stream.interruptWhen(stopped))
