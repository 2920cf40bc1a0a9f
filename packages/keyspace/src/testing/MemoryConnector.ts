import { Context, Deferred, Effect, Layer, type Scope, Stream, SubscriptionRef } from "effect"
import type { ConnectFailed } from "../CallError.ts"
import { Connector } from "../Connector.ts"
import type { FatalError } from "../FatalError.ts"
import { wire4, wire6 } from "../fence/index.ts"
import type { ConnectorMachine } from "../fence/Machine.ts"
import type { Limits } from "../Limits.ts"
import { runNative, runScripted } from "../Run.ts"
import { isFinal } from "../Status.ts"
import { DEFAULT_WIRE, IDENTITY, type Wire } from "../Wire.ts"
import { lane } from "./Lane.ts"
import { settingsOf } from "./Limits.ts"
import { MemoryNode, type NodeOptions } from "./MemoryNode.ts"
import { subscribe } from "./Subscribe.ts"
import { supervise } from "./Supervise.ts"

/** Every way in which the first connection can fail, on one wire or the other. */
export type ConnectError = ConnectFailed | FatalError

export interface Options extends Limits {
  /** Default: 4. */
  readonly wire?: Wire | undefined
}

/** A connector without the executor, which each wire adds. */
const open = Effect.fnUntraced(function* <State, Pass, Refusal extends FatalError>(
  node: MemoryNode["Service"],
  wire: Wire,
  machine: ConnectorMachine<State, Pass, Refusal>,
  limits: Limits
) {
  const settings = settingsOf(limits)
  const { calls, passed, status, stopped: ended } = yield* supervise(node, machine, settings)
  const stopped = Deferred.await(ended)
  const connector: Omit<Connector["Service"], "run"> = {
    wire,
    command: calls.command,
    pipeline: calls.pipeline,
    transaction: calls.transaction,
    eval: (script, keys, args, options) => calls.eval({ script, keys, args }, options),
    lane: lane(node, machine, settings, ended),
    subscribe: (channels, options) =>
      subscribe(node, machine, settings, stopped, "channels", channels, options),
    psubscribe: (patterns, options) =>
      subscribe(node, machine, settings, stopped, "patterns", patterns, options),
    status: SubscriptionRef.get(status),
    changes: SubscriptionRef.changes(status).pipe(Stream.takeUntil(isFinal)),
    stopped,
    stats: Effect.sync(() => calls.stats)
  }
  return { connector, passed }
})

/** A connector to a node in memory, for the lifetime of the scope. */
export const make = (
  node: MemoryNode["Service"],
  { wire = DEFAULT_WIRE, ...limits }: Options = {}
): Effect.Effect<Connector["Service"], ConnectError, Scope.Scope> =>
  wire === 4
    ? Effect.map(open(node, wire, wire4, limits), ({ connector }) => ({
        ...connector,
        run: runScripted(connector)
      }))
    : Effect.map(open(node, wire, wire6, limits), ({ connector, passed }) => ({
        ...connector,
        run: runNative(connector, passed)
      }))

/** Provides a `Connector` to the `MemoryNode` that is there. */
export const layerOn = (options: Options = {}): Layer.Layer<Connector, ConnectError, MemoryNode> =>
  Layer.effect(
    Connector,
    Effect.flatMap(MemoryNode, (node) => make(node, options))
  )

/**
 * Provides a `Connector` and the `MemoryNode` that it is connected to. Unless `node` says
 * otherwise, that is one which the wire runs on: empty on wire 4, installed on wire 6.
 *
 * Time is Effect's: under `TestClock`, a time-out, a backoff or an expiry is as far away as
 * the test says.
 *
 * @example
 * ```ts
 * import { Connector, Disconnected } from "@echomq/keyspace"
 * import { MemoryConnector, MemoryNode } from "@echomq/keyspace/testing"
 * import { Effect } from "effect"
 *
 * const visit = Effect.flatMap(Connector, (connector) => connector.command(["INCR", "visits"])).pipe(
 *   Effect.catchTag("Disconnected", ({ outcome }) => Effect.succeed(outcome))
 * )
 *
 * const test = Effect.gen(function* () {
 *   const node = yield* MemoryNode
 *   yield* visit // 1
 *   yield* node.failNext(new Disconnected({ outcome: "unknown" }))
 *   yield* visit // "unknown"
 * }).pipe(Effect.provide(MemoryConnector.layer({ wire: 6 })))
 * ```
 */
export const layer = ({
  node,
  ...options
}: Options & { readonly node?: NodeOptions | undefined } = {}): Layer.Layer<
  Connector | MemoryNode,
  ConnectError
> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const made = yield* MemoryNode.make({
        ...(options.wire === 6 ? { version: IDENTITY[6] } : {}),
        ...node
      })
      return Context.make(MemoryNode, made).pipe(Context.add(Connector, yield* make(made, options)))
    })
  )
