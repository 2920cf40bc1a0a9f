import * as net from "node:net"
import type { ConnectFailed } from "@echomq/keyspace"
import { Effect, type Scope } from "effect"
import type { Target } from "../Target.ts"
import { failure, open, readyEvent } from "./Knock.ts"

const LOOPBACK = "127.0.0.1"

/** How long a connection may be quiet before the kernel asks the server whether it is still there. */
const KEEP_ALIVE_MILLIS = 5_000

/** A connection to the server with a port of this process in between, for one client and once. */
export interface Relay {
  readonly address: { readonly host: string; readonly port: number }
  /** Calls back when the connection has ended; never before it began. */
  readonly onEnd: (listener: () => void) => void
}

const connected = (target: Target, socket: net.Socket): Effect.Effect<void, ConnectFailed> =>
  Effect.callback((resume) => {
    let reached = false
    socket.once("connect", () => {
      reached = true
    })
    socket.once(readyEvent(target), () => resume(Effect.void))
    socket.on("error", (error) => resume(Effect.fail(failure(target, error, reached))))
    socket.once("close", () => resume(Effect.fail(failure(target, new Error("closed by the peer"), reached))))
  })

const listening = (target: Target, server: net.Server): Effect.Effect<number, ConnectFailed> =>
  Effect.callback((resume) => {
    server.on("error", (error) => resume(Effect.fail(failure(target, error, false))))
    server.listen({ host: LOOPBACK, port: 0, backlog: 1 }, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/**
 * Holds a connection by its socket. While a command of a closed client blocks, the driver keeps its connection, and
 * the server would hand the next element to a caller that is gone; and of the loss of a quiet one it says nothing.
 * Here it ends with the scope at once, tells of its end, and the driver finds no second one.
 */
export const relay = Effect.fnUntraced(function* (
  target: Target
): Effect.fn.Return<Relay, ConnectFailed, Scope.Scope> {
  const upstream = open(target)
  yield* Effect.addFinalizer(() => Effect.sync(() => upstream.destroy()))
  yield* connected(target, upstream)
  upstream.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MILLIS)
  const server = net.createServer((client) => {
    server.close()
    client.setNoDelay(true)
    client.on("error", () => {})
    client.once("close", () => upstream.destroy())
    upstream.once("close", () => client.destroy())
    client.pipe(upstream).pipe(client)
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
  const port = yield* listening(target, server)
  return {
    address: { host: LOOPBACK, port },
    onEnd: (listener) => void upstream.once("close", listener)
  }
})
