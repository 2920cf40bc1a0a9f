import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { Effect, type Scope } from "effect"

/** What listens on a port without being a Valkey. */
export interface RawServer {
  readonly host: string
  readonly port: number
  /** How many connections it has accepted. */
  readonly connectionsReceived: Effect.Effect<number>
  /** How many of them are open. */
  readonly connections: Effect.Effect<number>
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  )

/** Accepts connections, and leaves what comes of each to `onConnection`. */
export const rawServer = Effect.fnUntraced(function* (
  onConnection: (socket: Socket) => void
): Effect.fn.Return<RawServer, never, Scope.Scope> {
  const open = new Set<Socket>()
  let received = 0
  const server = createServer((socket) => {
    received++
    open.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => open.delete(socket))
    // The end of a connection that is not read goes unnoticed.
    socket.resume()
    onConnection(socket)
  })
  const port = yield* Effect.acquireRelease(
    Effect.promise(() => listen(server)),
    () =>
      Effect.sync(() => {
        server.close()
        for (const socket of open) socket.destroy()
      })
  )
  return {
    host: "127.0.0.1",
    port,
    connectionsReceived: Effect.sync(() => received),
    connections: Effect.sync(() => open.size)
  }
})

/** The commands in what a client sent, where each came whole: arrays of bulk strings, and lines. */
const commandsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const commands: Array<ReadonlyArray<string>> = []
  const lines = text.split("\r\n")
  for (let i = 0; i < lines.length - 1; i++) {
    const count = /^\*(\d+)$/.exec(lines[i] ?? "")?.[1]
    if (count === undefined) {
      commands.push((lines[i] ?? "").split(" "))
      continue
    }
    const last = i + 2 * Number(count)
    commands.push(lines.slice(i + 1, last + 1).filter((_, place) => place % 2 === 1))
    i = last
  }
  return commands
}

/** Answers each command of a client with the reply that `answer` gives, as it is on the wire without its last line end. */
export const answering =
  (answer: (name: string, args: ReadonlyArray<string>) => string | Uint8Array) =>
  (socket: Socket): void => {
    socket.on("data", (data) => {
      for (const [name = "", ...args] of commandsOf(data.toString("latin1"))) {
        socket.write(Buffer.concat([Buffer.from(answer(name.toUpperCase(), args)), Buffer.from("\r\n")]))
      }
    })
  }

/** A node of wire 4, but for the commands to which `answer` gives a reply. */
export const almostValkey = (answer: (name: string) => string | Uint8Array | undefined) =>
  rawServer(answering((name) => answer(name) ?? ordinary[name] ?? "+OK"))

const ordinary: Record<string, string> = {
  AUTH: "-ERR AUTH <password> called without any password configured for the default user.",
  GET: "$12\r\nechomq:4.0.0",
  PING: "+PONG"
}
