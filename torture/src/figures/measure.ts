import { type NodeError, TestNode } from "@echomq/test-node"
import { type Config, Effect, Fiber, type Scope } from "effect"
import { bounds } from "../Bounds.ts"
import { FaultProxy } from "../proxy/index.ts"
import { subjects } from "./clients.ts"
import type { Client, Subject } from "./Subject.ts"

/** After so long without a result there is none. */
const PATIENCE = 3_000

const timed = <A>(effect: Effect.Effect<A>): Effect.Effect<number | null> =>
  Effect.suspend(() => {
    const from = performance.now()
    return effect.pipe(
      Effect.map(() => performance.now() - from),
      Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.succeed(null) })
    )
  })

interface Place {
  readonly node: TestNode["Service"]
  readonly proxy: FaultProxy
  readonly client: Client
}

/** Something that is measured once for one client on a node of its own; `null` where it did not come. */
export interface Figure {
  readonly name: string
  /** What the contract says, in milliseconds; where it is grossly missed, something is broken. */
  readonly limit: number
  readonly take: (place: Place) => Effect.Effect<number | null, NodeError>
}

/** Until the client notices what befalls its connection. */
const noticing = (befall: (place: Place) => void): Figure["take"] =>
  Effect.fnUntraced(function* (place) {
    // Quiet, but for what the client sends of its own accord.
    yield* Effect.sleep(150)
    const noticed = yield* Effect.forkChild(timed(place.client.lost), { startImmediately: true })
    befall(place)
    return yield* Fiber.join(noticed)
  })

const serves = (client: Client): Effect.Effect<void> =>
  Effect.flatMap(client.call, (answered) =>
    answered
      ? Effect.void
      : Effect.andThen(
          Effect.sleep("1 millis"),
          Effect.suspend(() => serves(client))
        )
  )

export const figures: ReadonlyArray<Figure> = [
  { name: "idle, closed: noticed", limit: 250, take: noticing(({ proxy }) => proxy.close()) },
  { name: "idle, reset: noticed", limit: 250, take: noticing(({ proxy }) => proxy.reset()) },
  {
    name: "black hole: noticed",
    limit: bounds.heartbeat + bounds.linkTimeout,
    take: noticing(({ proxy }) => {
      proxy.set("up", { hole: true })
      proxy.set("down", { hole: true })
    })
  },
  {
    name: "call in flight, reset: settled",
    limit: 50,
    take: Effect.fnUntraced(function* ({ client, node, proxy }: Place) {
      yield* node.admin("CLIENT", "PAUSE", PATIENCE * 2, "WRITE")
      const call = yield* Effect.forkChild(client.call, { startImmediately: true })
      yield* Effect.sleep(30)
      proxy.reset()
      return yield* timed(Fiber.join(call))
    })
  },
  {
    name: "server back after 1.5 s: serves",
    limit: bounds.backoff.max * 1.2 + 250,
    take: Effect.fnUntraced(function* ({ client, proxy }: Place) {
      yield* proxy.refuse
      proxy.reset()
      yield* Effect.sleep("1.5 seconds")
      yield* proxy.accept
      return yield* timed(serves(client))
    })
  }
]

export interface Measured {
  readonly subject: string
  readonly figure: Figure
  readonly millis: ReadonlyArray<number | null>
}

const once = Effect.fnUntraced(function* (figure: Figure, subject: Subject) {
  const node = yield* TestNode.make()
  const proxy = yield* FaultProxy.make(node)
  const client = yield* subject.open(proxy)
  yield* serves(client)
  const millis = yield* figure.take({ node, proxy, client })
  proxy.heal()
  return millis
}, Effect.scoped)

/** Every figure for every client, `times` over, one at a time. */
export const measure = (
  times: number
): Effect.Effect<ReadonlyArray<Measured>, NodeError | Config.ConfigError, Scope.Scope> =>
  Effect.forEach(
    figures.flatMap((figure) => subjects.map((subject) => ({ figure, subject }))),
    ({ figure, subject }) =>
      Effect.map(
        Effect.forEach(new Array<Figure>(times).fill(figure), (figure) => once(figure, subject)),
        (millis): Measured => ({ subject: subject.name, figure, millis })
      )
  )
