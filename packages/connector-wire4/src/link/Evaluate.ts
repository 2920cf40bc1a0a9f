import {
  type Command,
  type CommandError,
  InexactInteger,
  type PipelineError,
  type Reply,
  type ReplyOptions,
  type ScriptCall,
  ServerError,
  type TransactionError
} from "@echomq/keyspace"
import { Effect } from "effect"
import { single, together } from "./Callers.ts"
import type { Outbox } from "./Outbox.ts"
import { byDigest, isScriptCall, whole } from "./Scripts.ts"

const isUnknown = (reply: unknown): boolean => reply instanceof ServerError && reply.code === "NOSCRIPT"

const settled = (reply: Reply): Effect.Effect<Reply, CommandError> =>
  reply instanceof ServerError || reply instanceof InexactInteger ? Effect.fail(reply) : Effect.succeed(reply)

/** Sends commands together, and counts them once they are accepted. */
const send = (
  outbox: Outbox,
  commands: ReadonlyArray<Command>,
  options: ReplyOptions | undefined,
  count: () => void = () => {}
) =>
  together(outbox, commands, options, (calls) => {
    count()
    for (const call of calls) outbox.push(call)
  })

/** The loads that must go ahead of these calls on this connection, counted. */
const loads = (outbox: Outbox, calls: ReadonlyArray<ScriptCall>): ReadonlyArray<Command> => {
  const commands = calls.flatMap(({ script }) => outbox.loaded.load(script))
  outbox.stats.scriptLoads += commands.length
  return commands
}

/** After a NOSCRIPT, which means that the script did not run: load it, or where that was done before send it whole. */
const again = (
  outbox: Outbox,
  call: ScriptCall,
  options: ReplyOptions | undefined
): Effect.Effect<Reply, CommandError> =>
  Effect.suspend(() => {
    const load = loads(outbox, [call])
    return load.length === 0
      ? single(outbox, whole(call), options)
      : send(outbox, [...load, byDigest(call)], options).pipe(
          Effect.flatMap(([, reply = null]) =>
            isUnknown(reply) ? single(outbox, whole(call), options) : settled(reply)
          )
        )
  })

/** Runs a script by its digest. */
export const evaluate = (
  outbox: Outbox,
  call: ScriptCall,
  options: ReplyOptions | undefined
): Effect.Effect<Reply, CommandError> =>
  Effect.suspend(() => {
    outbox.stats.evalshaCalls++
    return single(outbox, byDigest(call), options)
  }).pipe(Effect.catchIf(isUnknown, () => again(outbox, call, options)))

/**
 * Sends commands and scripts together. Scripts not yet loaded over this connection are
 * loaded ahead of them, so that all run in order. One that the server forgot since runs
 * after the others.
 */
export const pipeline = (
  outbox: Outbox,
  items: ReadonlyArray<Command | ScriptCall>,
  options: ReplyOptions | undefined
): Effect.Effect<ReadonlyArray<Reply>, PipelineError> =>
  Effect.suspend(() => {
    const calls = items.filter(isScriptCall)
    const ahead = loads(outbox, calls)
    const commands = items.map((item) => (isScriptCall(item) ? byDigest(item) : item))
    const count = () => {
      outbox.stats.pipelines++
      outbox.stats.evalshaCalls += calls.length
    }
    return send(outbox, [...ahead, ...commands], options, count).pipe(
      Effect.map((replies) => replies.slice(ahead.length)),
      Effect.flatMap((replies) =>
        calls.length === 0 || !replies.some(isUnknown)
          ? Effect.succeed(replies)
          : Effect.forEach(replies, (reply, i) => {
              const item = items[i]
              return item !== undefined && isScriptCall(item) && isUnknown(reply)
                ? Effect.catchTag(
                    again(outbox, item, options),
                    ["ServerError", "InexactInteger"],
                    Effect.succeed
                  )
                : Effect.succeed(reply)
            })
      )
    ) as Effect.Effect<ReadonlyArray<Reply>, PipelineError>
  })

/** Runs commands and scripts as one transaction. Scripts go whole, since a transaction cannot stop to load one. */
export const transaction = (
  outbox: Outbox,
  items: ReadonlyArray<Command | ScriptCall>,
  options: ReplyOptions | undefined
): Effect.Effect<ReadonlyArray<Reply>, TransactionError> =>
  Effect.suspend(() => {
    const commands = items.map((item) => (isScriptCall(item) ? whole(item) : item))
    return together(outbox, commands, options, (calls) => {
      outbox.stats.transactions++
      outbox.transact(calls)
    })
  })
