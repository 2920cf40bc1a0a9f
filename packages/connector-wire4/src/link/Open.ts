import type {
  AuthRefused,
  BootRefused,
  ConnectFailed,
  Connector,
  FatalError,
  Fence,
  Wire
} from "@echomq/keyspace"
import { isFinal } from "@echomq/keyspace"
import { Deferred, Effect, type Scope, Stream, SubscriptionRef } from "effect"
import { single, type Traced } from "./Callers.ts"
import { evaluate, pipeline, transaction } from "./Evaluate.ts"
import { lane } from "./Lane.ts"
import { type Options, resolve } from "./Options.ts"
import { byDigest } from "./Scripts.ts"
import { subscribe } from "./Subscribe.ts"
import { supervise } from "./Supervisor.ts"
import { one, several, tracing } from "./Trace.ts"

/** A connector without the executor, which each wire adds. */
export type Opened = Omit<Connector["Service"], "run">

/**
 * Opens a connector on a wire: dials, boots and plays `machine` on every connection
 * before it serves. It is how both wires are made; the machine is all that differs.
 *
 * `passed` is what the machine passed with on the latest connection. Fails where the
 * first connection is refused or cannot be had. Closing the scope answers every
 * waiting call with `Closed`.
 */
export const open = Effect.fnUntraced(function* <State, Pass, Refusal extends FatalError>(
  wire: Wire,
  machine: Fence.ConnectorMachine<State, Pass, Refusal>,
  options: Options
): Effect.fn.Return<
  { readonly connector: Opened; readonly passed: Effect.Effect<Pass> },
  ConnectFailed | AuthRefused | BootRefused | Refusal,
  Scope.Scope
> {
  const settings = yield* resolve(options)
  const { outbox, passed, reconnects, status, stopped } = yield* supervise(wire, settings, machine)
  const traced = tracing(settings)
  const tracedOne: Traced = (command, call) => traced(() => one(command), call)
  const connector: Opened = {
    wire,
    command: (command, options) => single(outbox, command, options, tracedOne),
    pipeline: (items, options) => traced(() => several("PIPELINE", items), pipeline(outbox, items, options)),
    transaction: (items, options) =>
      traced(() => several("MULTI", items), transaction(outbox, items, options)),
    eval: (script, keys, args, options) => {
      const call = { script, keys, args }
      return traced(() => one(byDigest(call)), evaluate(outbox, call, options))
    },
    lane: lane(settings, machine, stopped),
    subscribe: (channels, options) =>
      subscribe(settings, machine, Deferred.await(stopped), "channels", channels, options),
    psubscribe: (patterns, options) =>
      subscribe(settings, machine, Deferred.await(stopped), "patterns", patterns, options),
    status: SubscriptionRef.get(status),
    changes: SubscriptionRef.changes(status).pipe(Stream.takeUntil(isFinal)),
    stopped: Deferred.await(stopped),
    stats: Effect.sync(() => ({ ...outbox.stats, pending: outbox.pending, reconnects: reconnects() }))
  }
  return { connector, passed: Effect.sync(passed) }
})
