import { Batch, Decoder } from "@valkey/valkey-glide"
import { Effect, type Scope } from "effect"
import { connected } from "./Glide.ts"

interface Waiting {
  readonly args: Array<string>
  readonly resolve: (reply: unknown) => void
  readonly reject: (error: unknown) => void
}

const bytes = { decoder: Decoder.Bytes }

/**
 * The calls of one tick as one batch and nothing else: no fence, no check of a command, no bound, no time-out, no
 * count, and what the driver makes of a reply is the reply. It is no client, but what one over GLIDE could reach.
 */
export const batched = (
  port: number
): Effect.Effect<(args: Array<string>) => Promise<unknown>, unknown, Scope.Scope> =>
  Effect.map(connected(port), (client) => {
    let queue: Array<Waiting> = []
    const flush = () => {
      const calls = queue
      queue = []
      const [first] = calls
      if (first !== undefined && calls.length === 1) {
        client.customCommand(first.args, bytes).then(first.resolve, first.reject)
        return
      }
      const batch = new Batch(false)
      for (const { args } of calls) batch.customCommand(args)
      client.exec(batch, true, bytes).then(
        (replies) => calls.forEach(({ resolve }, i) => resolve(replies?.[i])),
        (error) => calls.forEach(({ reject }) => reject(error))
      )
    }
    return (args) =>
      new Promise((resolve, reject) => {
        queue.push({ args, resolve, reject })
        if (queue.length === 1) queueMicrotask(flush)
      })
  })
