import {
  type Command,
  type CommandError,
  CommandRefused,
  type Reply,
  type ReplyOptions,
  type TransactionError
} from "@echomq/keyspace"
import { Effect } from "effect"
import { type Arguments, encode, oversize } from "./Arguments.ts"
import { type Call, Group, Member, Single } from "./Call.ts"
import type { Outbox } from "./Outbox.ts"
import { isTraced } from "./Trace.ts"

const prepare = (outbox: Outbox, command: Command): Arguments | CommandRefused => {
  const args = encode(command)
  return args instanceof CommandRefused ? args : (oversize(args, outbox.commandLimit) ?? args)
}

/** Wraps a call in a span. */
export type Traced = (
  command: Command,
  call: Effect.Effect<Reply, CommandError>
) => Effect.Effect<Reply, CommandError>

/**
 * Sends one command; an error reply is the failure of its caller. Whether it is `traced` is
 * looked up as it is sent, which costs no effect of its own.
 */
export const single = (
  outbox: Outbox,
  command: Command,
  options: ReplyOptions | undefined,
  traced: Traced | null = null
): Effect.Effect<Reply, CommandError> =>
  Effect.callback((resume) => {
    if (traced !== null && isTraced()) return resume(traced(command, single(outbox, command, options)))
    const args = prepare(outbox, command)
    if (args instanceof CommandRefused) return resume(Effect.fail(args))
    const refusal = outbox.refusal(1)
    if (refusal !== null) return resume(Effect.fail(refusal))
    const call = new Single(args, options?.bytes === true, outbox, resume)
    outbox.push(call)
    return call
  })

/** Sends commands by `send` and gives their replies together. */
export const together = (
  outbox: Outbox,
  commands: ReadonlyArray<Command>,
  options: ReplyOptions | undefined,
  send: (calls: ReadonlyArray<Call>) => void
): Effect.Effect<ReadonlyArray<Reply>, TransactionError> =>
  Effect.callback((resume) => {
    const group = new Group(commands.length, resume)
    const calls: Array<Call> = []
    for (const command of commands) {
      const args = prepare(outbox, command)
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
