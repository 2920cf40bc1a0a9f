import { Effect, Queue, Stream } from "effect"
import type { Message, SubscribeError, SubscribeOptions } from "../Connector.ts"
import type { FatalError } from "../FatalError.ts"
import type { Machine } from "../fence/Machine.ts"
import { connect } from "./Connect.ts"
import type { Settings } from "./Limits.ts"
import type { MemoryNode } from "./MemoryNode.ts"
import type { Listener } from "./Server.ts"

/** Subscribes once a connection has passed the fence. Ends as `stopped` does. */
export const subscribe = <State, Pass, Refusal extends FatalError>(
  node: MemoryNode["Service"],
  machine: Machine<State, Pass, Refusal>,
  settings: Settings,
  stopped: Effect.Effect<never, SubscribeError>,
  mode: Listener["mode"],
  names: ReadonlyArray<string>,
  options: SubscribeOptions | undefined
): Stream.Stream<Message, SubscribeError> =>
  Stream.callback<Message, SubscribeError>(
    (queue) =>
      Effect.scoped(connect(node, machine, settings)).pipe(
        Effect.andThen(
          node.listen({ mode, names, onMessage: (message) => Queue.offerUnsafe(queue, message) })
        ),
        Effect.andThen(options?.onSubscribed ?? Effect.void)
      ),
    { bufferSize: options?.buffer ?? 1_024, strategy: "sliding" }
  ).pipe(Stream.interruptWhen(stopped))
