/**
 * A Lua script that the scripted executor runs. Declare it once, at module level: its
 * digest is then worked out once.
 *
 * @example
 * ```ts
 * import { Connector, script } from "@echomq/keyspace"
 * import { Effect } from "effect"
 *
 * const bump = script("return redis.call('INCRBY', KEYS[1], ARGV[1])")
 *
 * const program = Effect.flatMap(Connector, (connector) => connector.eval(bump, ["visits"], [2]))
 * ```
 */
export interface Script {
  readonly lua: string
}

export const script = (lua: string): Script => ({ lua })
