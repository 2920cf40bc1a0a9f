import { randomBytes } from "node:crypto"
import { Effect, type Scope } from "effect"
import { Command, Redis } from "iovalkey"
import { NodeError } from "./NodeError.ts"
import { type CommandCount, type CommandTable, commandTable, parseCounts, parseField } from "./Statistics.ts"
import { wait } from "./time.ts"

/** A part of a command. */
export type Part = string | number | Uint8Array

/**
 * The fixture's own connection to a node: over a Unix socket in the node's directory, so that no port, TLS or bind
 * setting touches it, and as an ACL user of its own, so that no authentication setting does. It keeps account of
 * what it did itself. Once lost, it stays lost: the next incarnation of the node has its own.
 */
export interface Admin {
  readonly send: (parts: ReadonlyArray<Part>) => Effect.Effect<unknown, NodeError>
  readonly sendBuffer: (parts: ReadonlyArray<Part>) => Effect.Effect<unknown, NodeError>
  /** What others had the server do, by lower-case name of the command. */
  readonly counts: Effect.Effect<Record<string, CommandCount>, NodeError>
  /** The server's commands. */
  readonly table: CommandTable
  /** Connections accepted from others. */
  readonly accepted: Effect.Effect<number, NodeError>
  /** Connections that others have open. */
  readonly open: Effect.Effect<number, NodeError>
}

const socket = "admin.sock"
const user = "echomq-test-node"
const password = randomBytes(16).toString("hex")

/** The arguments of a server that let the admin in. */
export const adminArguments: ReadonlyArray<string> = [
  ...["--unixsocket", socket, "--unixsocketperm", "700"],
  ...["--user", user, "on", `>${password}`, "~*", "&*", "+@all"],
  ...["--enable-debug-command", "yes"]
]

/** Connects to the server in this directory, which may still be starting: tries until it accepts. */
export const connect = Effect.fnUntraced(function* (
  directory: string
): Effect.fn.Return<Admin, NodeError, Scope.Scope> {
  const client = yield* dial(`${directory}/${socket}`)

  let table: CommandTable = new Map()
  let own = new Map<string, number>()
  let ownConnections = 1
  const account = ([name, sub]: ReadonlyArray<Part>) => {
    const full = `${name}|${sub}`.toLowerCase()
    const key = table.has(full) ? full : String(name).toLowerCase()
    if (key === "config|resetstat") {
      own = new Map()
      ownConnections = 0
    }
    own.set(key, (own.get(key) ?? 0) + 1)
  }

  /** `read` runs the moment the reply is there, when `own` is what the server had executed before this command. */
  const send = <A>(parts: ReadonlyArray<Part>, encoding: "utf8" | null, read: (reply: unknown) => A) =>
    Effect.tryPromise({
      try: async () => {
        const reply = await client.sendCommand(toCommand(parts, encoding))
        const result = read(reply)
        account(parts)
        return result
      },
      catch: (cause) => {
        const { name, message } = cause as Error
        return new NodeError({ reason: name === "ReplyError" ? "reply" : "lost", message, log: [] })
      }
    })
  const same = (reply: unknown) => reply
  const info = <A>(section: string, read: (text: string) => A) =>
    send(["INFO", section], "utf8", (reply) => read(String(reply)))

  yield* send(["AUTH", user, password], "utf8", same)
  table = yield* send(["COMMAND"], "utf8", commandTable)
  yield* send(["CLIENT", "SETNAME", user], "utf8", same)

  return {
    send: (parts) => send(parts, "utf8", same),
    sendBuffer: (parts) => send(parts, null, same),
    counts: info("commandstats", (text) => parseCounts(text, own)),
    table,
    accepted: info("stats", (text) => parseField(text, "total_connections_received") - ownConnections),
    open: info("clients", (text) => parseField(text, "connected_clients") - 1)
  }
})

/** The name goes in upper case, because iovalkey reshapes what it knows by lower case. */
const toCommand = ([name, ...args]: ReadonlyArray<Part>, encoding: "utf8" | null) =>
  new Command(
    String(name).toUpperCase(),
    args.map((part) => (part instanceof Uint8Array ? Buffer.from(part) : String(part))),
    { replyEncoding: encoding }
  )

/** Tries until the server accepts. */
const dial = (path: string): Effect.Effect<Redis, never, Scope.Scope> =>
  Effect.acquireRelease(attempt(path), (client) => Effect.sync(() => client?.disconnect())).pipe(
    Effect.flatMap((client) =>
      client === undefined
        ? wait(3).pipe(Effect.andThen(Effect.suspend(() => dial(path))))
        : Effect.succeed(client)
    )
  )

const attempt = (path: string) =>
  Effect.promise(async () => {
    const client = new Redis({
      path,
      lazyConnect: true,
      enableReadyCheck: false,
      enableOfflineQueue: false,
      retryStrategy: () => null,
      maxRetriesPerRequest: null
    })
    client.on("error", () => undefined)
    return client.connect().then(
      () => client,
      () => undefined
    )
  })
