import { Dialer, type Link, type Request } from "@echomq/connector-wire4/link"
import type { Reply } from "@echomq/keyspace"
import { Effect } from "effect"

type Dialling = typeof Dialer.Service

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
  const dialer: Dialling = { ...(yield* Dialer), dial: () => Effect.succeed(link) }
  const result = yield* Effect.result(Effect.provideService(effect, Dialer, dialer))
  return { result, sent }
})

/** The driver's own dialer, with another way to send: `send` gets what a link, counted from 0, was to send, and how. */
export const sendingBy = (
  send: (link: number, requests: ReadonlyArray<Request>, go: () => void) => void
): Effect.Effect<Dialling> =>
  Effect.map(Dialer, (dialer) => {
    let links = 0
    return {
      ...dialer,
      dial: (target) =>
        Effect.map(dialer.dial(target), (link): Link => {
          const index = links++
          return {
            pinProof: link.pinProof,
            loss: link.loss,
            send: (requests, atomic, done) => send(index, requests, () => link.send(requests, atomic, done))
          }
        })
    }
  })

/** The driver's own dialer, and what each of its links was sent. */
export const recorded: Effect.Effect<{
  readonly dialer: Dialling
  readonly links: ReadonlyArray<ReadonlyArray<Sent>>
}> = Effect.suspend(() => {
  const links: Array<Array<Sent>> = []
  const dialer = sendingBy((link, requests, go) => {
    links[link] ??= []
    links[link].push(textOf(requests))
    go()
  })
  return Effect.map(dialer, (dialer) => ({ dialer, links }))
})
