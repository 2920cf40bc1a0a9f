import {
  type AuthRefused,
  type BootRefused,
  type Command,
  type CommandError,
  CommandRefused,
  type ConnectFailed,
  type Connector,
  type FatalError,
  type Fence,
  isFinal,
  type PipelineError,
  type Reply,
  type ReplyOptions,
  type TransactionError,
  type Wire
} from "@echomq/keyspace"
import { Deferred, Effect, type Scope, Stream, SubscriptionRef } from "effect"
import { encode } from "./Arguments.ts"
import { type Call, Group, Member, Single } from "./Call.ts"
import { type Options, resolve } from "./Options.ts"
import type { Outbox } from "./Outbox.ts"
import { supervise } from "./Supervisor.ts"

const command =
  (outbox: Outbox): Connector["Service"]["command"] =>
  (command, options) =>
    Effect.callback<Reply, CommandError>((resume) => {
      const args = encode(command)
      if (args instanceof CommandRefused) return resume(Effect.fail(args))
      const refusal = outbox.refusal(1)
      if (refusal !== null) return resume(Effect.fail(refusal))
      const call = new Single(args, options?.bytes === true, resume)
      outbox.push(call)
      return Effect.sync(() => outbox.drop(call))
    })

/** Commands whose replies come together, sent by `send`. */
const together = (
  outbox: Outbox,
  commands: ReadonlyArray<Command>,
  options: ReplyOptions | undefined,
  send: (calls: ReadonlyArray<Call>) => void
): Effect.Effect<ReadonlyArray<Reply>, TransactionError> =>
  Effect.callback((resume) => {
    const group = new Group(commands.length, resume)
    const calls: Array<Call> = []
    for (const command of commands) {
      const args = encode(command)
      if (args instanceof CommandRefused) return resume(Effect.fail(args))
      calls.push(new Member(args, options?.bytes === true, group, calls.length))
    }
    const refusal = outbox.refusal(calls.length)
    if (refusal !== null) return resume(Effect.fail(refusal))
    if (calls.length === 0) return resume(Effect.succeed([]))
    send(calls)
    return Effect.sync(() => {
      for (const call of calls) outbox.drop(call)
    })
  })

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
  { readonly connector: Connector["Service"]; readonly passed: Effect.Effect<Pass> },
  ConnectFailed | AuthRefused | BootRefused | Refusal,
  Scope.Scope
> {
  const settings = yield* resolve(options)
  const { outbox, passed, reconnects, status, stopped } = yield* supervise(settings, machine)
  const connector: Connector["Service"] = {
    wire,
    command: command(outbox),
    pipeline: (commands, options) =>
      together(outbox, commands, options, (calls) => {
        outbox.stats.pipelines++
        for (const call of calls) outbox.push(call)
      }) as Effect.Effect<ReadonlyArray<Reply>, PipelineError>,
    transaction: (commands, options) =>
      together(outbox, commands, options, (calls) => {
        outbox.stats.transactions++
        outbox.transact(calls)
      }),
    status: SubscriptionRef.get(status),
    changes: SubscriptionRef.changes(status).pipe(Stream.takeUntil(isFinal)),
    stopped: Deferred.await(stopped),
    stats: Effect.sync(() => ({ ...outbox.stats, pending: outbox.pending, reconnects: reconnects() }))
  }
  return { connector, passed: Effect.sync(passed) }
})
