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
import { byDigest, isScriptCall, load, whole } from "./Scripts.ts"

/** The server's own NOSCRIPT: the script did not run. One that a script made says something else. */
const isUnknown = (reply: unknown): boolean =>
  reply instanceof ServerError && reply.message.startsWith("NOSCRIPT No matching script")

const settled = (reply: Reply): Effect.Effect<Reply, CommandError> =>
  reply instanceof ServerError || reply instanceof InexactInteger ? Effect.fail(reply) : Effect.succeed(reply)

/** Sends commands together, behind the loads that these calls need on this connection; counts them once they are accepted. */
const send = (
  outbox: Outbox,
  calls: ReadonlyArray<ScriptCall>,
  commands: ReadonlyArray<Command>,
  options: ReplyOptions | undefined,
  count: () => void = () => {}
): Effect.Effect<ReadonlyArray<Reply>, TransactionError> =>
  Effect.suspend(() => {
    const { loaded } = outbox
    const scripts = loaded.missing(calls)
    const sending = together(outbox, [...scripts.map(load), ...commands], options, (sent) => {
      loaded.add(scripts)
      outbox.stats.scriptLoads += scripts.length
      count()
      for (const call of sent) outbox.push(call)
    })
    if (scripts.length === 0) return sending
    return sending.pipe(
      Effect.onError(() => Effect.sync(() => loaded.forget(scripts))),
      Effect.map((replies) => replies.slice(scripts.length))
    )
  })

/** After a NOSCRIPT: load the script, or where that was done before send it whole. */
const again = (
  outbox: Outbox,
  call: ScriptCall,
  options: ReplyOptions | undefined
): Effect.Effect<Reply, CommandError> =>
  Effect.suspend(() =>
    outbox.loaded.missing([call]).length === 0
      ? single(outbox, whole(call), options)
      : send(outbox, [call], [byDigest(call)], options).pipe(
          Effect.flatMap(([reply = null]) =>
            isUnknown(reply) ? single(outbox, whole(call), options) : settled(reply)
          )
        )
  )

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
    const commands = items.map((item) => (isScriptCall(item) ? byDigest(item) : item))
    const count = () => {
      outbox.stats.pipelines++
      outbox.stats.evalshaCalls += calls.length
    }
    return send(outbox, calls, commands, options, count).pipe(
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
