import type { Schema } from "effect"
import type { Capability } from "./Capability.ts"
import type { Part } from "./Reply.ts"
import type { Script } from "./Script.ts"

/**
 * An operation declared once for both executors: `connector.run` runs it as a Lua script
 * on wire 4 and as a verb of the module on wire 6, with the same keys and arguments, and
 * reads either reply by the same schema.
 *
 * @example
 * ```ts
 * import { script, transition } from "@echomq/keyspace"
 * import { Schema } from "effect"
 *
 * const append = transition({
 *   name: "append",
 *   keys: 1,
 *   args: Schema.Tuple([Schema.String]),
 *   result: Schema.Int,
 *   scripted: script("return redis.call('RPUSH', KEYS[1], ARGV[1])"),
 *   native: { verb: "EMQ.APPEND", capability: "append" }
 * })
 * ```
 */
export interface Transition<Args, Result> {
  /** What errors call it. */
  readonly name: string
  /** How many keys it takes. */
  readonly keys: number
  readonly args: Schema.Codec<Args, ReadonlyArray<Part>>
  /** How its reply is read. */
  readonly result: Schema.Codec<Result, unknown>
  readonly scripted: Script
  /** The module's verb, and the token by which a node's module says that it has it. */
  readonly native: { readonly verb: `EMQ.${string}`; readonly capability: Capability }
}

export const transition = <Args, Result>(declared: Transition<Args, Result>): Transition<Args, Result> =>
  declared
