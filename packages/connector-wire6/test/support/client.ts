import { connect } from "node:net"
import type { Part, TestNode } from "@echomq/test-node"
import { Effect, type Scope } from "effect"
import { ErrorReply, encode, Reader, type Wire } from "./resp.ts"

/** A plain client of a node: one socket, and nothing between it and the server's words. */
export interface Client {
  /** Sends one command; an error reply is a value. */
  readonly call: (...parts: ReadonlyArray<Part>) => Effect.Effect<Wire>
  /** Sends one command that must be refused, and gives the words of the refusal. */
  readonly refusal: (...parts: ReadonlyArray<Part>) => Effect.Effect<string>
}

interface Socket {
  readonly write: (parts: ReadonlyArray<Part>) => void
  /** Where replies go, in order, from now on. */
  onReply: (reply: Wire) => void
  readonly end: () => void
}

type Place = Pick<TestNode["Service"], "host" | "port">

const open = ({ host, port }: Place) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const reader = new Reader()
      const stream = connect({ host, port, noDelay: true })
      const socket: Socket = {
        write: (parts) => void stream.write(encode(parts)),
        onReply: () => undefined,
        end: () => void stream.destroy()
      }
      stream.on("data", (chunk) => {
        for (const reply of reader.push(chunk)) socket.onReply(reply)
      })
      stream.once("connect", () => resume(Effect.succeed(socket)))
      stream.on("error", (cause) => {
        socket.onReply(new ErrorReply(cause.message))
        resume(Effect.die(cause))
      })
      stream.once("close", () => socket.onReply(new ErrorReply("the connection was lost")))
    }),
    ({ end }) => Effect.sync(end)
  )

/** A client for the lifetime of the scope, as this user where one is named. */
export const dial = Effect.fnUntraced(function* (
  place: Place,
  user?: { readonly username: string; readonly password: string }
): Effect.fn.Return<Client, never, Scope.Scope> {
  const socket = yield* open(place)
  const waiting: Array<(reply: Wire) => void> = []
  socket.onReply = (reply) => waiting.shift()?.(reply)
  const call: Client["call"] = (...parts) =>
    Effect.callback((resume) => {
      waiting.push((reply) => resume(Effect.succeed(reply)))
      socket.write(parts)
    })
  const expectOk = (reply: Wire) =>
    reply === "OK" ? Effect.void : Effect.die(new Error(`not OK: ${JSON.stringify(reply)}`))
  if (user !== undefined) yield* Effect.flatMap(call("AUTH", user.username, user.password), expectOk)
  return {
    call,
    refusal: (...parts) =>
      Effect.flatMap(call(...parts), (reply) =>
        reply instanceof ErrorReply
          ? Effect.succeed(reply.message)
          : Effect.die(new Error(`${parts[0]} was not refused: ${JSON.stringify(reply)}`))
      )
  }
})

/** One command as `MONITOR` shows it. */
export interface Seen {
  /** The address of the client; `lua` in a script, and empty inside a command of a module. */
  readonly client: string
  readonly database: number
  /** The name as the client spelt it, and the arguments, as the server quotes them. */
  readonly parts: ReadonlyArray<string>
}

const line = /^[\d.]+ \[(\d+) ([^\]]*)\] (.*)$/

const seen = (text: string): Seen => {
  const [, database, client = "", command = ""] = line.exec(text) ?? []
  return {
    client,
    database: Number(database),
    parts: Array.from(command.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, part = ""]) => part)
  }
}

/**
 * What the server executes from now on, as it says itself by `MONITOR`: all up to the moment of asking, in order,
 * the fixture's own commands left out.
 */
export const monitor = Effect.fnUntraced(function* (node: TestNode["Service"]) {
  // A user of its own, so that no setting of the node's keeps it out and no kill of others' clients ends it.
  yield* node.admin("ACL", "SETUSER", "monitor", "on", "nopass", "-@all", "+monitor")
  const socket = yield* open(node)
  const all: Array<Seen> = []
  let marker = ""
  let onMarker = () => {}
  yield* Effect.callback<void>((resume) => {
    let replies = 0
    socket.onReply = (reply) => {
      if (reply !== "OK") resume(Effect.die(new Error(`no MONITOR: ${JSON.stringify(reply)}`)))
      else if (++replies === 2) resume(Effect.void)
    }
    socket.write(["AUTH", "monitor", ""])
    socket.write(["MONITOR"])
  })
  socket.onReply = (reply) => {
    const command = seen(String(reply))
    if (command.parts[1] === marker) onMarker()
    else if (!command.client.startsWith("unix:")) all.push(command)
  }
  let asked = 0
  return Effect.gen(function* () {
    marker = `monitor-${asked++}`
    const shown = Effect.callback<void>((resume) => {
      onMarker = () => resume(Effect.void)
    })
    yield* Effect.all([shown, node.admin("ECHO", marker)], { concurrency: 2 })
    return all as ReadonlyArray<Seen>
  })
})
