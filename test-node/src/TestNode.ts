import { connect as connectSocket } from "node:net"
import { join } from "node:path"
import { type Config, Context, Effect, Exit, Layer, Scope, Semaphore } from "effect"
import { type Admin, adminArguments, connect, type Part } from "./Admin.ts"
import { furnish, type Home, home, moduleFile } from "./Home.ts"
import { NodeError } from "./NodeError.ts"
import type { NodeOptions } from "./NodeOptions.ts"
import { type Running, runner } from "./Runner.ts"
import type { CommandCount } from "./Statistics.ts"
import { loadingArguments } from "./seed.ts"
import { wait } from "./time.ts"

/**
 * A throwaway Valkey node that a test can starve, kill, bring back, replace and question. It runs as a process, or
 * in a container where `EMQ_TEST_NODE=container`; everything of it goes with its scope.
 */
export class TestNode extends Context.Service<
  TestNode,
  {
    readonly host: string
    /** Stays the same through `restart` and `replace`. */
    readonly port: number
    /** Sends one command on the fixture's own connection. Bulk strings come as strings. */
    readonly admin: (...parts: ReadonlyArray<Part>) => Effect.Effect<unknown, NodeError>
    /** As `admin`; bulk strings come as buffers. */
    readonly adminBuffer: (...parts: ReadonlyArray<Part>) => Effect.Effect<unknown, NodeError>
    /**
     * What the server met, by lower-case name of the command (`client|setname`), since this incarnation started or
     * since the last `CONFIG RESETSTAT`: its `INFO commandstats`, less the commands that `admin` sent itself and
     * had answered with anything but an error. Commands that ran in a script, a transaction or a module count
     * under their own names; those in an admin's script too. A seed counts nothing.
     */
    readonly counts: Effect.Effect<Readonly<Record<string, CommandCount>>, NodeError>
    /** The calls of `counts` alone, so without what was rejected but with what failed. */
    readonly executed: Effect.Effect<Readonly<Record<string, number>>, NodeError>
    /** How many commands with the server's `write` flag were executed and did not fail. */
    readonly writes: Effect.Effect<number, NodeError>
    /** How many connections the server has accepted, the fixture's own apart. Asking opens none. */
    readonly connectionsReceived: Effect.Effect<number, NodeError>
    /** How many connections are open, the fixture's own apart. */
    readonly connections: Effect.Effect<number, NodeError>
    /** SIGKILL. Done when the port refuses. */
    readonly kill: Effect.Effect<void, NodeError>
    /** Kills the node if it runs, and starts it again: same port, same options, same data. */
    readonly restart: Effect.Effect<void, NodeError>
    /** Kills the node if it runs, and starts another on the port, with its own options and its own data. */
    readonly replace: (options: NodeOptions) => Effect.Effect<void, NodeError>
    /** SIGSTOP: connections stay open, the kernel accepts more, and nothing is answered. */
    readonly pause: Effect.Effect<void, NodeError>
    /** SIGCONT. */
    readonly resume: Effect.Effect<void, NodeError>
    /** The last lines that the server printed. */
    readonly log: Effect.Effect<ReadonlyArray<string>, NodeError>
  }
>()("@echomq/test-node/TestNode") {
  /** Starts a node. */
  static make(
    options: NodeOptions = {}
  ): Effect.Effect<TestNode["Service"], NodeError | Config.ConfigError, Scope.Scope> {
    return make(options)
  }

  /** A node as a layer. */
  static layer(options: NodeOptions = {}): Layer.Layer<TestNode, NodeError | Config.ConfigError> {
    return Layer.effect(TestNode, make(options))
  }
}

/** One life of a node, from a start to a kill. */
interface Life {
  readonly scope: Scope.Closeable
  readonly running: Running
  readonly admin: Admin
}

const host = "127.0.0.1"
const startTimeout = 60_000
const portTaken = /Address already in use/

const make = Effect.fnUntraced(function* (first: NodeOptions) {
  const nodeScope = yield* Effect.scope
  const { start: startServer } = yield* runner
  const oneAtATime = (yield* Semaphore.make(1)).withPermit

  let life: Life | undefined

  const start = (port: number, directory: string, options: NodeOptions) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(nodeScope)
        life = yield* restore(boot(port, directory, options)).pipe(
          Scope.provide(scope),
          Effect.map(([running, admin]) => ({ scope, running, admin })),
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
        )
      })
    )

  const boot = Effect.fnUntraced(function* (port: number, directory: string, options: NodeOptions) {
    const running = yield* startServer(serverArguments(port, directory, options), directory)
    const failure = (message: string) =>
      running.log.pipe(
        Effect.flatMap((log) =>
          Effect.fail(
            new NodeError({ reason: "start", message: [message, ...log.slice(-5)].join("\n"), log: [...log] })
          )
        )
      )
    const admin = yield* connect(directory).pipe(
      Effect.tap((admin) => (options.until === "listening" ? Effect.void : ready(admin))),
      // A connection that the server ends as it starts: how the server itself ended says more.
      Effect.catchIf(
        ({ reason }) => reason === "lost",
        () => Effect.never
      ),
      Effect.raceFirst(running.exited.pipe(Effect.andThen(failure("The server stopped as it started.")))),
      Effect.raceFirst(
        wait(startTimeout).pipe(
          Effect.andThen(failure(`The server did not start within ${startTimeout} ms.`))
        )
      )
    )
    return [running, admin] as const
  })

  const settle = (attempts: number): Effect.Effect<Home, NodeError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(nodeScope)
        return yield* restore(
          Effect.gen(function* () {
            const place = yield* Scope.provide(home, scope)
            const directory = join(place.path, "1")
            yield* furnish(directory, first)
            yield* start(place.port, directory, first)
            return place
          })
        ).pipe(Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))))
      })
    ).pipe(
      Effect.catchTag("NodeError", (error) =>
        attempts > 1 && error.log.some((line) => portTaken.test(line))
          ? settle(attempts - 1)
          : Effect.fail(error)
      )
    )

  const { port, path } = yield* settle(5)
  let incarnation = 1
  let directory = join(path, String(incarnation))
  let options = first

  const alive = Effect.suspend(() =>
    life === undefined
      ? Effect.fail(new NodeError({ reason: "stopped", message: "The node is not running.", log: [] }))
      : Effect.succeed(life)
  )
  const admin = alive.pipe(Effect.map(({ admin }) => admin))
  const counts = admin.pipe(Effect.flatMap(({ counts }) => counts))

  const kill = Effect.uninterruptible(
    Effect.gen(function* () {
      if (life === undefined) return
      const { scope, running } = life
      life = undefined
      yield* running.signal("SIGKILL")
      yield* Scope.close(scope, Exit.void)
      yield* refused(port)
    })
  )
  const resurrect = kill.pipe(Effect.andThen(Effect.suspend(() => start(port, directory, options))))

  return TestNode.of({
    host,
    port,
    admin: (...parts) => admin.pipe(Effect.flatMap(({ send }) => send(parts))),
    adminBuffer: (...parts) => admin.pipe(Effect.flatMap(({ sendBuffer }) => sendBuffer(parts))),
    counts,
    executed: counts.pipe(
      Effect.map((counts) =>
        Object.fromEntries(
          Object.entries(counts).flatMap(([name, { calls }]) => (calls > 0 ? [[name, calls]] : []))
        )
      )
    ),
    writes: Effect.gen(function* () {
      const { table, counts } = yield* admin
      return Object.entries(yield* counts)
        .filter(([name]) => table.get(name) === true)
        .reduce((sum, [, { calls, failed }]) => sum + calls - failed, 0)
    }),
    connectionsReceived: admin.pipe(Effect.flatMap(({ accepted }) => accepted)),
    connections: admin.pipe(Effect.flatMap(({ open }) => open)),
    kill: oneAtATime(kill),
    restart: oneAtATime(resurrect),
    replace: (next) =>
      oneAtATime(
        Effect.gen(function* () {
          incarnation += 1
          const place = join(path, String(incarnation))
          yield* furnish(place, next)
          yield* kill
          directory = place
          options = next
          yield* resurrect
        })
      ),
    pause: alive.pipe(Effect.flatMap(({ running }) => running.signal("SIGSTOP"))),
    resume: alive.pipe(Effect.flatMap(({ running }) => running.signal("SIGCONT"))),
    log: alive.pipe(Effect.flatMap(({ running }) => running.log))
  })
})

const serverArguments = (port: number, directory: string, options: NodeOptions): ReadonlyArray<string> => [
  ...["--bind", host, "--port", options.tls === true ? "0" : String(port)],
  ...(options.tls === true ? ["--tls-port", String(port)] : []),
  ...["--dir", directory, "--save", "", "--appendonly", "yes", "--appendfsync", "no"],
  ...["--auto-aof-rewrite-percentage", "0"],
  ...(options.loading === undefined ? [] : loadingArguments),
  ...(options.module === undefined ? [] : ["--loadmodule", join(directory, moduleFile)]),
  ...adminArguments,
  ...(options.args ?? [])
]

/** Ends when the server answers with something else than that it is loading. */
const ready = (admin: Admin): Effect.Effect<void, NodeError> =>
  admin.send(["PING"]).pipe(
    Effect.asVoid,
    Effect.catchTag("NodeError", (error) => {
      if (error.reason !== "reply") return Effect.fail(error)
      return error.message.startsWith("LOADING")
        ? wait(10).pipe(Effect.andThen(Effect.suspend(() => ready(admin))))
        : Effect.void
    })
  )

/** Ends when nothing listens on the port. */
const refused = (port: number): Effect.Effect<void> =>
  Effect.callback<boolean>((resume) => {
    const socket = connectSocket(port, host)
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.succeed(false))
    })
    socket.once("error", () => resume(Effect.succeed(true)))
    return Effect.sync(() => socket.destroy())
  }).pipe(
    Effect.flatMap((done) =>
      done ? Effect.void : wait(5).pipe(Effect.andThen(Effect.suspend(() => refused(port))))
    )
  )
