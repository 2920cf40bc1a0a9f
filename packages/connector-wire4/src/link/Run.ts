import {
  CommandRefused,
  type Part,
  type Reply,
  type Transition,
  type TransitionError
} from "@echomq/keyspace"
import { Effect, Schema } from "effect"

/** How an executor runs a transition whose arguments are ready for the wire. */
export type Executor = <Args, Result>(
  transition: Transition<Args, Result>,
  keys: ReadonlyArray<Part>,
  parts: ReadonlyArray<Part>
) => Effect.Effect<Reply, TransitionError>

/** Runs transitions on an executor: checks and encodes what goes in, decodes what comes out. */
export const runWith =
  (execute: Executor) =>
  <Args, Result>(
    transition: Transition<Args, Result>,
    keys: ReadonlyArray<Part>,
    args: Args
  ): Effect.Effect<Result, TransitionError> => {
    if (keys.length !== transition.keys) {
      return Effect.fail(
        new CommandRefused({
          command: transition.name,
          why: `it was given ${keys.length} keys`,
          instead: `pass ${transition.keys}`
        })
      )
    }
    return Schema.encodeEffect(transition.args)(args).pipe(
      Effect.flatMap((parts) => execute(transition, keys, parts)),
      Effect.flatMap(Schema.decodeUnknownEffect(transition.result))
    )
  }
