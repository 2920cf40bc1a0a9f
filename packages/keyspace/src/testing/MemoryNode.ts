import { Clock, Context, Effect, FiberSet, Layer, type Scope } from "effect"
import { ConnectFailed, ServerError } from "../CallError.ts"
import type { AuthRefused, BootRefused } from "../FatalError.ts"
import type { Command, Reply } from "../Reply.ts"
import type { Script } from "../Script.ts"
import { VERSION_KEY } from "../Wire.ts"
import { binary } from "./Binary.ts"
import type { Module } from "./Module.ts"
import { decode } from "./Raw.ts"
import { type Listener, Server } from "./Server.ts"
import { type Planned, Session } from "./Session.ts"
import type { Collection } from "./Store.ts"
import type { Twin } from "./Twin.ts"

/** What `{emq}:version` holds: nothing, text, bytes, or something that is no string. */
export type Stored = null | string | Uint8Array | { readonly type: Collection }

/** What a node is made of. */
export interface NodeOptions {
  /** Default: `null`, a node that no wire has claimed. */
  readonly version?: Stored
  /** Default: the module as it ships. */
  readonly module?: Module
}

/**
 * How a node turns connections away. A `ServerError` is what it answers to every command
 * of the fence, which decides what that means: `LOADING …` is not ready, `NOAUTH …` is
 * `AuthRefused`.
 */
export type Turned = AuthRefused | BootRefused | ConnectFailed | ServerError

/** Commands by which a value of another type comes to be. */
const ofType: Readonly<Record<Collection, ReadonlyArray<string>>> = {
  list: ["RPUSH", VERSION_KEY, "x"],
  hash: ["HSET", VERSION_KEY, "f", "x"],
  set: ["SADD", VERSION_KEY, "x"],
  zset: ["ZADD", VERSION_KEY, "1", "x"]
}

/**
 * A node in memory, in the hands of a test. Connectors made by `MemoryConnector` play their
 * fences on it; the test says what it holds, breaks it and mends it.
 *
 * It knows `PING`, `ECHO`, `GET`, `SET`, `INCR`, `INCRBY`, `DEL`, `EXISTS`, `TYPE`, `TTL`,
 * `PTTL`, `KEYS`, `DBSIZE`, `FLUSHALL`, `PUBLISH`, `EVAL`, the common commands of hashes,
 * lists, sets and sorted sets, `BLPOP` and `BRPOP`, and the module's `EMQ.*`, whose verbs
 * keep a journal behind the native fence. Any other is an unknown command, as on a server.
 *
 * @example
 * ```ts
 * import { Connector } from "@echomq/keyspace"
 * import { MemoryConnector, MemoryNode } from "@echomq/keyspace/testing"
 * import { Effect } from "effect"
 *
 * const test = Effect.gen(function* () {
 *   const node = yield* MemoryNode
 *   const connector = yield* Connector
 *   yield* node.replace({ version: "echomq:6.0.0" })
 *   return yield* Effect.flip(connector.stopped) // VersionFence
 * }).pipe(Effect.provide(MemoryConnector.layer({ wire: 4 })))
 * ```
 */
export class MemoryNode extends Context.Service<
  MemoryNode,
  {
    /** Runs a command by the hand of the test: past every connector and its fence. */
    readonly command: (...command: Command) => Effect.Effect<Reply, ServerError>
    /** Says what a script does. Scripts and their twins outlive `restart` and `replace`. */
    readonly script: (script: Script, twin: Twin) => Effect.Effect<void>
    /** Changes what `{emq}:version` holds. Connections stay: only the next ones are fenced by it. */
    readonly setVersion: (version: Stored) => Effect.Effect<void>
    /** Changes the module. Connections stay, as with the version. */
    readonly setModule: (module: Module) => Effect.Effect<void>
    /** Turns away every connection from now on, until `null`. Those that are open stay. */
    readonly refuse: (how: Turned | null) => Effect.Effect<void>
    /**
     * The next call on a connected connector or lane fails with this. A `ServerError` or an
     * `InexactInteger` is the reply to the first of its commands, with the consequences that
     * it has from a server; of any other error nothing is sent, and the connection stays.
     */
    readonly failNext: (error: Planned) => Effect.Effect<void>
    /** Executes nothing and answers nothing until `resume`, and then all that was sent. Connections stay. */
    readonly pause: Effect.Effect<void>
    readonly resume: Effect.Effect<void>
    /** Ends every connection; new ones are had at once. */
    readonly cut: Effect.Effect<void>
    /** Ends every connection, and what was in flight is not executed; new ones are refused. */
    readonly kill: Effect.Effect<void>
    /** Kills the node if it runs, and starts it again with its data. */
    readonly restart: Effect.Effect<void>
    /** Kills the node if it runs, and starts another in its place, empty but for these. */
    readonly replace: (options: NodeOptions) => Effect.Effect<void>
    /** Opens a connection, for a connector. */
    readonly dial: Effect.Effect<Session, ConnectFailed | AuthRefused | BootRefused>
    /** Listens to channels, for a connector. */
    readonly listen: (listener: Listener) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@echomq/keyspace/testing/MemoryNode") {
  /** Makes a node; what waits on it by the clock goes with the scope. */
  static make(options: NodeOptions = {}): Effect.Effect<MemoryNode["Service"], never, Scope.Scope> {
    return make(options)
  }

  /** A node as a layer, for several connectors. */
  static layer(options: NodeOptions = {}): Layer.Layer<MemoryNode> {
    return Layer.effect(MemoryNode, make(options))
  }
}

const refused = new ConnectFailed({ address: "memory", reason: "refused", detail: "" })

const make = Effect.fnUntraced(function* (options: NodeOptions) {
  const clock = yield* Clock.Clock
  const run = yield* FiberSet.makeRuntime()
  const server = new Server(
    () => clock.currentTimeMillisUnsafe(),
    (millis, job) => run(Effect.andThen(Effect.sleep(millis), Effect.sync(job)))
  )
  const planned: Array<Planned> = []
  let turned: Turned | null = null

  const store = (version: Stored) => {
    server.store.delete(VERSION_KEY)
    if (typeof version === "string" || version instanceof Uint8Array) {
      server.store.set(VERSION_KEY, binary(version), null)
    } else if (version !== null) server.execute(ofType[version.type])
  }
  const become = ({ module = {}, version = null }: NodeOptions) => {
    server.store.clear()
    server.load(module)
    store(version)
  }
  const start = () => {
    server.running = true
  }

  become(options)

  return MemoryNode.of({
    command: (...command) =>
      Effect.suspend(() => {
        const args = command.map(binary)
        const reply = decode(server.byHand(args), { command: args[0]?.toUpperCase() ?? "", bytes: false })
        return reply instanceof ServerError ? Effect.fail(reply) : Effect.succeed(reply)
      }),
    script: ({ lua }, twin) => Effect.sync(() => server.twins.set(binary(lua), twin)),
    setVersion: (version) => Effect.sync(() => store(version)),
    setModule: (module) => Effect.sync(() => server.load(module)),
    refuse: (how) =>
      Effect.sync(() => {
        turned = how
      }),
    failNext: (error) => Effect.sync(() => planned.push(error)),
    pause: Effect.sync(() => server.pause()),
    resume: Effect.sync(() => server.resume()),
    cut: Effect.sync(() => server.cut()),
    kill: Effect.sync(() => server.kill()),
    restart: Effect.sync(() => {
      server.kill()
      start()
    }),
    replace: (options) =>
      Effect.sync(() => {
        server.kill()
        become(options)
        turned = null
        start()
      }),
    dial: Effect.suspend(() => {
      if (!server.running) return Effect.fail(refused)
      if (turned !== null && !(turned instanceof ServerError)) return Effect.fail(turned)
      return Effect.succeed(new Session(server, planned, turned))
    }),
    listen: (listener) =>
      Effect.acquireRelease(
        Effect.sync(() => server.listeners.add(listener)),
        () => Effect.sync(() => server.listeners.delete(listener))
      )
  })
})
