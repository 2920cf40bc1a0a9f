import { connect, type Socket } from "node:net"
import type { Direction, Faults } from "./Faults.ts"
import { Pipe } from "./Pipe.ts"

export interface Address {
  readonly host: string
  readonly port: number
}

/** Node.js loses the handle of a socket that is reset while its end is being sent. */
const reset = (socket: Socket): void => {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

/** A client's connection and the one to the server that goes with it. */
export class Connection {
  readonly #client: Socket
  readonly #server: Socket
  readonly #pipes: Readonly<Record<Direction, Pipe>>

  constructor(
    client: Socket,
    upstream: Address,
    faults: Readonly<Record<Direction, Faults>>,
    onGone: () => void
  ) {
    const server = connect({ ...upstream, noDelay: true })
    this.#client = client
    this.#server = server
    const close = () => this.close()
    this.#pipes = {
      up: new Pipe(client, server, faults.up, close),
      down: new Pipe(server, client, faults.down, close)
    }
    let open = 2
    const gone = () => {
      if (--open === 0) onGone()
    }
    client.once("close", gone)
    server.once("close", gone)
    // A reset of one end is a reset of the other, unless bytes vanish between them.
    client.on("error", () => this.#pipes.up.silent || reset(server))
    server.on("error", () => this.#pipes.down.silent || reset(client))
  }

  get swallowed(): boolean {
    return this.#pipes.up.swallowed || this.#pipes.down.swallowed
  }

  set(direction: Direction, faults: Faults): void {
    this.#pipes[direction].set(faults)
  }

  /** Ends both sides in an orderly way. */
  close(): void {
    this.#client.destroy()
    this.#server.destroy()
  }

  /** Ends both sides with a reset. */
  reset(): void {
    reset(this.#client)
    reset(this.#server)
  }
}
