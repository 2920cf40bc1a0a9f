/**
 * How each executor runs a transition, over whatever connector.
 */

import { Effect, Schema } from "effect"
import { CapabilityAbsent, CommandRefused } from "./CallError.ts"
import type { Connector, TransitionError } from "./Connector.ts"
import type { ModuleReport } from "./ModuleVersion.ts"
import type { Part, Reply } from "./Reply.ts"
import type { Transition } from "./Transition.ts"

type Run = Connector["Service"]["run"]

/** Runs a transition whose arguments are ready for the wire. */
type Executor = <Args, Result>(
  transition: Transition<Args, Result>,
  keys: ReadonlyArray<Part>,
  parts: ReadonlyArray<Part>
) => Effect.Effect<Reply, TransitionError>

/** Checks and encodes what goes in, decodes what comes out. */
const runWith =
  (execute: Executor): Run =>
  (transition, keys, args) => {
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

/** Runs transitions as scripts: the executor of wire 4. */
export const runScripted = ({ eval: evaluate }: Pick<Connector["Service"], "eval">): Run =>
  runWith(({ scripted }, keys, parts) => evaluate(scripted, keys, parts))

/** Runs transitions as verbs of the module that reported itself as `module`: the executor of wire 6. */
export const runNative = (
  { command }: Pick<Connector["Service"], "command">,
  module: Effect.Effect<ModuleReport>
): Run =>
  runWith(({ name, native: { capability, verb } }, keys, parts) =>
    Effect.flatMap(
      module,
      ({ capabilities }): Effect.Effect<Reply, TransitionError> =>
        capabilities.includes(capability)
          ? command([verb, keys.length, ...keys, ...parts])
          : Effect.fail(new CapabilityAbsent({ transition: name, capability }))
    )
  )
