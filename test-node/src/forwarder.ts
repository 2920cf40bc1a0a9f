import { connect, type Socket } from "node:net"
import { Effect, type Scope } from "effect"
import { type RawServer, rawServer } from "./rawServer.ts"

export interface Address {
  readonly host: string
  readonly port: number
}

/** A port that leads to one server at a time. */
export interface Forwarder extends RawServer {
  /** Those that come from now on lead to another server; those that are open stay where they are. */
  readonly leadTo: (upstream: Address) => Effect.Effect<void>
  /** Cuts every connection; those that come from now on lead to another server. */
  readonly switchTo: (upstream: Address) => Effect.Effect<void>
}

/** Opens a port that leads to `upstream`, until it is switched. */
export const forwarder = Effect.fnUntraced(function* (
  upstream: Address
): Effect.fn.Return<Forwarder, never, Scope.Scope> {
  const sockets = new Set<Socket>()
  let current = upstream
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = yield* rawServer((client) => {
    const onward = connect(current.port, current.host)
    for (const [one, other] of [
      [client, onward],
      [onward, client]
    ] as const) {
      sockets.add(one)
      one.on("error", () => {})
      one.once("close", () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    client.pipe(onward).pipe(client)
  })
  yield* Effect.addFinalizer(() => Effect.sync(cut))
  return {
    ...server,
    leadTo: (next) =>
      Effect.sync(() => {
        current = next
      }),
    switchTo: (next) =>
      Effect.sync(() => {
        current = next
        cut()
      })
  }
})
