import { Batch, Decoder } from "@valkey/valkey-glide"
import { Effect, type Scope } from "effect"
import { connected } from "./Glide.ts"

interface Waiting {
  readonly args: Array<string>
  readonly resolve: (reply: unknown) => void
  readonly reject: (error: unknown) => void
}

const text = (reply: unknown): unknown => (reply instanceof Buffer ? reply.toString() : reply)

/**
 * The calls of one tick in the batches that the connector would make of them, and nothing else: no fence, no check of
 * a command, no bound, no time-out, no count. It is no client, but what one over GLIDE could reach. `decoder` says
 * who makes text of a reply: the driver, which gives up the whole batch where one reply is no text, or this side.
 */
export const batched = (
  port: number,
  decoder: Decoder
): Effect.Effect<(args: Array<string>) => Promise<unknown>, unknown, Scope.Scope> =>
  Effect.map(connected(port), (client) => {
    const decoded = decoder === Decoder.Bytes ? text : (reply: unknown) => reply
    const queue: Array<Waiting> = []
    let waiting = 0
    const send = (calls: ReadonlyArray<Waiting>) => {
      const batch = new Batch(false)
      for (const { args } of calls) batch.customCommand(args)
      client.exec(batch, true, { decoder }).then(
        (replies) => {
          waiting -= calls.length
          calls.forEach(({ resolve }, i) => resolve(decoded(replies?.[i])))
        },
        (error) => calls.forEach(({ reject }) => reject(error))
      )
    }
    const flush = () => {
      while (queue.length > 0) send(queue.splice(0, Math.min(512, Math.max(16, waiting / 2))))
    }
    return (args) =>
      new Promise((resolve, reject) => {
        waiting++
        queue.push({ args, resolve, reject })
        if (queue.length === 1) queueMicrotask(flush)
      })
  })
