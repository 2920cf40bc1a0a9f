import { createServer, type Server } from "node:net"
import { Effect, type Scope } from "effect"
import { type Address, Connection } from "./Connection.ts"
import { type Direction, type Faults, none } from "./Faults.ts"

/** Below the ports of test nodes and of outgoing connections, so that a port can be given up and taken again. */
const ports = { first: 10_000, count: 10_000 }

const host = "127.0.0.1"

/**
 * A TCP proxy on loopback that can do to a connection what a network can: lose it, stall it, or swallow what it
 * carries. It reads and changes no byte. Faults apply to connections that are open and to those that come, until
 * they are set anew.
 */
export class FaultProxy implements Address {
  readonly host = host
  readonly port: number
  #server: Server | null
  #upstream: Address
  #faults: Record<Direction, Faults> = { up: none, down: none }
  readonly #connections = new Set<Connection>()

  private constructor(server: Server, port: number, upstream: Address) {
    this.#server = server
    this.port = port
    this.#upstream = upstream
    this.#serve(server)
  }

  /** A proxy on a free port. Its connections end with the scope. */
  static make(upstream: Address): Effect.Effect<FaultProxy, never, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.promise(async () => {
        for (;;) {
          const port = ports.first + Math.floor(Math.random() * ports.count)
          const server = await listen(port)
          if (server !== null) return new FaultProxy(server, port, upstream)
        }
      }),
      (proxy) =>
        Effect.sync(() => {
          proxy.#unlisten()
          proxy.close()
        })
    )
  }

  #serve(server: Server): void {
    server.on("connection", (client) => {
      client.setNoDelay(true)
      const connection = new Connection(client, this.#upstream, this.#faults, () =>
        this.#connections.delete(connection)
      )
      this.#connections.add(connection)
    })
  }

  #unlisten(): void {
    this.#server?.close()
    this.#server = null
  }

  /** How many connections are open on either side. */
  get connections(): number {
    return this.#connections.size
  }

  /** What happens to bytes of one direction from now on. */
  set(direction: Direction, faults: Partial<Faults>): void {
    const next = { ...none, ...faults }
    this.#faults = { ...this.#faults, [direction]: next }
    for (const connection of this.#connections) connection.set(direction, next)
  }

  /** Passes everything again. Connections that have lost bytes are reset. */
  heal(): void {
    for (const connection of this.#connections) if (connection.swallowed) connection.reset()
    this.set("up", none)
    this.set("down", none)
  }

  /** Where connections go that come from now on. */
  route(upstream: Address): void {
    this.#upstream = upstream
  }

  /** Closes all connections. */
  close(): void {
    for (const connection of this.#connections) connection.close()
  }

  /** Closes all connections with a reset. */
  reset(): void {
    for (const connection of this.#connections) connection.reset()
  }

  /** Refuses new connections, as an address does at which nobody listens. */
  readonly refuse = Effect.sync(() => this.#unlisten())

  /** Takes new connections again. */
  readonly accept = Effect.promise(async () => {
    while (this.#server === null) {
      this.#server = await listen(this.port)
      if (this.#server !== null) this.#serve(this.#server)
      else await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })
}

/** A server on the port, or `null` where the port is taken. */
const listen = (port: number): Promise<Server | null> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(null))
    server.listen(port, host, () => resolve(server))
  })
