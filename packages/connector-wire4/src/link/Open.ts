import {
  type AuthRefused,
  type BootRefused,
  type Command,
  type CommandError,
  type CommandRefused,
  type ConnectFailed,
  type Connector,
  type FatalError,
  type Fence,
  InexactInteger,
  isFinal,
  type PipelineError,
  type Reply,
  type ReplyOptions,
  ServerError,
  type TransactionError,
  type Wire
} from "@echomq/keyspace"
import { Deferred, Effect, Result, type Scope, Stream, SubscriptionRef } from "effect"
import { Call } from "./Call.ts"
import type { Request } from "./Link.ts"
import { type Options, resolve } from "./Options.ts"
import type { Outbox } from "./Outbox.ts"
import { prepare } from "./Request.ts"
import { supervise } from "./Supervisor.ts"

const requests = (
  commands: ReadonlyArray<Command>,
  options: ReplyOptions | undefined
): Result.Result<ReadonlyArray<Request>, CommandRefused> =>
  Result.all(commands.map((command) => prepare(command, options?.bytes ?? false)))

const command =
  (outbox: Outbox): Connector["Service"]["command"] =>
  (command, options) =>
    Effect.callback<Reply, CommandError>((resume) => {
      const request = prepare(command, options?.bytes ?? false)
      if (Result.isFailure(request)) return resume(Effect.fail(request.failure))
      const refusal = outbox.refusal(1)
      if (refusal !== null) return resume(Effect.fail(refusal))
      const call = new Call(
        request.success,
        {
          reply: (_, reply) =>
            resume(
              reply instanceof ServerError || reply instanceof InexactInteger
                ? Effect.fail(reply)
                : Effect.succeed(reply)
            ),
          fail: (error) => resume(Effect.fail(error))
        },
        0
      )
      outbox.push([call])
      return Effect.sync(() => outbox.drop([call]))
    })

/** Commands whose replies come together, sent by `send`. */
const together = (
  outbox: Outbox,
  commands: ReadonlyArray<Command>,
  options: ReplyOptions | undefined,
  send: (calls: ReadonlyArray<Call>) => void
): Effect.Effect<ReadonlyArray<Reply>, TransactionError> =>
  Effect.callback((resume) => {
    const prepared = requests(commands, options)
    if (Result.isFailure(prepared)) return resume(Effect.fail(prepared.failure))
    const refusal = outbox.refusal(commands.length)
    if (refusal !== null) return resume(Effect.fail(refusal))
    if (commands.length === 0) return resume(Effect.succeed([]))
    const replies = new Array<Reply>(commands.length).fill(null)
    let waiting = commands.length
    const waiter = {
      reply: (index: number, reply: Reply) => {
        replies[index] = reply
        if (--waiting === 0) resume(Effect.succeed(replies))
      },
      fail: (error: CommandError) => resume(Effect.fail(error as TransactionError))
    }
    const calls = prepared.success.map((request, index) => new Call(request, waiter, index))
    send(calls)
    return Effect.sync(() => outbox.drop(calls))
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
  machine: Fence.Machine<State, Pass, Refusal>,
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
        outbox.push(calls)
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
