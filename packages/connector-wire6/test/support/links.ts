import { Dialer, type Link, type Request } from "@echomq/connector-wire4/link"
import type { Reply } from "@echomq/keyspace"
import { Effect } from "effect"

/** What one `send` of a link carried. */
export type Sent = ReadonlyArray<ReadonlyArray<string>>

const textOf = (requests: ReadonlyArray<Request>): Sent => requests.map(({ args }) => args.map(String))

/** Runs an effect whose links answer each command by what a server is to say, and tells what they were sent. */
export const scripted = Effect.fnUntraced(function* <A, E, R>(
  answer: (command: string) => Reply,
  effect: Effect.Effect<A, E, R>
) {
  const sent: Array<Sent> = []
  const link: Link = {
    send: (requests, _atomic, done) => {
      sent.push(textOf(requests))
      done(requests.map(({ name }) => answer(name)))
    },
    pinProof: null,
    loss: Effect.never
  }
  const result = yield* Effect.result(
    Effect.provideService(effect, Dialer, { dial: () => Effect.succeed(link) })
  )
  return { result, sent }
})

/** The driver's own dialer, with an eye on what each of its links, counted from 0, is about to be sent. */
export const watched = (onSend: (sent: Sent, link: number) => void) =>
  Effect.gen(function* () {
    const { dial } = yield* Dialer
    let links = 0
    const dialer: typeof Dialer.Service = {
      dial: (target) =>
        Effect.map(dial(target), (link): Link => {
          const index = links++
          return {
            pinProof: link.pinProof,
            loss: link.loss,
            send: (requests, atomic, done) => {
              onSend(textOf(requests), index)
              link.send(requests, atomic, done)
            }
          }
        })
    }
    return dialer
  })

/** The driver's own dialer, and what each of its links was sent. */
export const recorded = Effect.gen(function* () {
  const links: Array<Array<Sent>> = []
  const dialer = yield* watched((sent, link) => {
    links[link] ??= []
    links[link].push(sent)
  })
  return { dialer, links }
})
