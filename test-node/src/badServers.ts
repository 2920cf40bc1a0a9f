/**
 * What becomes of a connector whose server is not what it should be: tests to be declared for each wire.
 */
import { type ConnectFailed, type Connector, type FatalError, VERSION_KEY, type Wire } from "@echomq/keyspace"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import {
  type Bad,
  badServer,
  bads,
  closingAfter,
  randomStream,
  saysAtRandom,
  type Turn
} from "./badServer.ts"
import { type Address, type Forwarder, forwarder } from "./forwarder.ts"
import type { NodeOptions } from "./NodeOptions.ts"
import { TestNode } from "./TestNode.ts"
import { uncaught } from "./uncaught.ts"
import { until } from "./until.ts"

type Service = Connector["Service"]

interface Options extends Address {
  readonly connectTimeout?: number
  readonly commandTimeout?: number
  readonly heartbeat?: number
  readonly linkTimeout?: number
  readonly backoff?: { readonly base: number; readonly max: number }
}

/** A wire, whose connector is tried. */
export interface Subject {
  readonly wire: Wire
  /** What a node of the wire is started with. */
  readonly node: NodeOptions
  readonly make: (options: Options) => Effect.Effect<Service, ConnectFailed | FatalError, Scope.Scope>
  /** What comes before a server has to be right, at each of which one may turn bad. */
  readonly turns: ReadonlyArray<Turn>
  /** How many random streams it is told. */
  readonly streams: number
}

const connectTimeout = 300

/** The driver's time-out is far longer, so that none but the connect time-out ends an attempt that is not answered. */
const patient = {
  connectTimeout,
  commandTimeout: 300_000,
  heartbeat: 300,
  linkTimeout: 600,
  backoff: { base: 10, max: 50 }
}

/** For a machine that is busy: what settles by another bound, or never, exceeds it. */
const SLACK = 15_000

/** How a start or a reconnect may end; anything else is a mistake, a defect above all. */
const passing = "ConnectFailed"
const fatal: ReadonlyArray<string> = [
  ...["AuthRefused", "BootRefused", "VersionFence"],
  ...["EmqAbsent", "EmqVersion", "ClientRule"]
]
const tags = [passing, ...fatal]
const serving = "serving"

const within = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.timeoutOrElse(effect, {
    duration: connectTimeout + SLACK,
    orElse: () => Effect.die(new Error(`never settled: ${what}`))
  })

interface Hearing extends Address {
  readonly heard: () => string
}

/** It may leave the driver waiting for an answer for ever; the driver holds on to such a connection until the server ends it. */
const owing = new Set([
  "nothing",
  "half a bulk string, then silence",
  "half an error, then silence",
  "half a line end, then silence",
  "a reply to the first of several only",
  "an endless bulk string",
  "an endless line",
  "an endless array",
  "a bulk string longer than any",
  "an array longer than any",
  "a map longer than any"
])

/** It changes nothing of what is replied, so that the server serves. */
const harmless = new Set(["a push before each reply"])

/** Nor does it in the round trip that asks one thing: what comes after the reply is nobody's. */
const harmlessAlone = new Set([
  "every reply twice",
  "a hundred replies to each",
  "the replies in reverse",
  "a reply to the first of several only"
])

const drained = (server: { readonly connections: Effect.Effect<number> }) =>
  until("no connection is open", server.connections, (open) => open === 0)

/** How the first attempt ends after the node's place was taken: by the tag of its error, or serving. */
const ended = (connector: Service, bad: Hearing, before: number) =>
  until(
    "an attempt has ended",
    connector.status,
    (status) =>
      status._tag === "Stopped" ||
      (status._tag === "Down" && status.error._tag !== "Disconnected") ||
      (status._tag === "Serving" && bad.heard().includes(VERSION_KEY, before))
  ).pipe(Effect.map((status) => ("error" in status ? status.error._tag : serving)))

/** Calls without a pause, none of which may reach a server that is not fenced. */
const calling = (connector: Service) =>
  Effect.forkScoped(
    Effect.forever(Effect.andThen(Effect.exit(connector.command(["SET", "mine", "1"])), Effect.sleep(5)))
  )

/** An error, which refuses the pin, and the right value: who says this to the boot has passed the fence of wire 4. */
const right = /(-[^\r\n]*|!3\r\nERR)\r\n\$12\r\nechomq:4\.0\.0\r\n/

/** And this passes that of wire 6, in a round trip of its own: what comes before may answer the link's own probe. */
const rightRead = /\$12\r\nechomq:6\.0\.0\r\n/

/**
 * Who accepts any password takes the pin too. A start finds that out; but in the place of a node that served, it lets
 * the driver come back by itself, which nothing here can keep it from.
 */
const takesThePin = /^\+OK\r\n/

/** Declares the tests of a connector on a wire. */
export const badServers = ({ make, node, streams, turns, wire }: Subject): void => {
  /** How a start ends: by the tag of its error, or serving. */
  const started = (what: string, { host, port }: Address) =>
    within(
      what,
      Effect.scoped(make({ ...patient, host, port })).pipe(
        Effect.as(serving),
        Effect.catch((error) => Effect.succeed(error._tag))
      )
    )

  /** A connector of a server that serves, which a busy machine may keep it from finding out at once. */
  const connected = ({ host, port }: Address, options: Omit<Options, "host" | "port"> = patient) =>
    Effect.retry(make({ ...options, host, port }), { times: 20 })

  /** A connector of a good node, which a bad server replaces, and the good node again. */
  const reconnected = Effect.fnUntraced(function* (
    what: string,
    good: Address,
    bad: Hearing,
    path: Forwarder
  ) {
    const connector = yield* connected(path)
    yield* calling(connector)
    const before = bad.heard().length
    yield* path.switchTo(bad)
    const tag = yield* within(what, ended(connector, bad, before))
    yield* path.switchTo(good)
    if (fatal.includes(tag)) {
      const { _tag } = yield* within(what, Effect.flip(connector.stopped))
      expect(_tag, what).toBe(tag)
      expect(yield* Effect.flip(connector.command(["PING"])), what).toMatchObject({ _tag: tag })
    } else {
      yield* within(what, until("it serves again", Effect.exit(connector.command(["PING"])), Exit.isSuccess))
    }
    expect((yield* connector.stats).pending, what).toBeLessThanOrEqual(1)
    return tag
  })

  let good: TestNode["Service"]
  let thrown: ReadonlyArray<unknown>
  const scope = Scope.makeUnsafe()

  beforeAll(() =>
    Effect.gen(function* () {
      good = yield* TestNode.make(node)
      thrown = yield* uncaught
      // So that no test finds it empty.
      yield* Effect.scoped(make({ host: good.host, port: good.port }))
    }).pipe(Scope.provide(scope), Effect.runPromise)
  )

  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  /** A server that replaces a good node, or that is the first to be tried: how a start and a reconnect end. */
  const tried = Effect.fnUntraced(function* (name: string, bad: Bad, turn: Turn) {
    const what = `${name}, at the ${turn}`
    const allowed =
      harmless.has(name) || (turn === "read" && harmlessAlone.has(name)) ? [...tags, serving] : tags
    const server = yield* badServer(turn, bad, wire)
    const path = yield* forwarder(good)
    const ends = [yield* started(what, server), yield* Effect.scoped(reconnected(what, good, server, path))]
    if (!ends.includes(serving)) expect(server.heard(), what).not.toContain("mine")
    if (owing.has(name)) yield* server.hangUp
    yield* drained(server)
    yield* drained(path)
    for (const end of ends) expect(allowed, what).toContain(end)
  })

  /** A server that turns bad once it serves: how calls end. */
  const called = Effect.fnUntraced(function* (name: string, bad: Bad) {
    const server = yield* badServer("served", bad, wire)
    const exits = yield* Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* connected(server, { ...patient, commandTimeout: 300 })
        const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
          connector.command(["ECHO", "a"]),
          connector.command(["HGETALL", "a"]),
          connector.command(["ECHO", "a"], { bytes: true }),
          connector.pipeline([
            ["SET", "a", "1"],
            ["HGETALL", "a"]
          ]),
          connector.transaction([
            ["SET", "a", "1"],
            ["GET", "a"]
          ])
        ]
        return yield* within(name, Effect.forEach(calls, Effect.exit, { concurrency: "unbounded" }))
      })
    )
    if (owing.has(name)) yield* server.hangUp
    yield* drained(server)
    return exits
  })

  describe.concurrent("a server that answers with", () => {
    for (const [name, bad] of Object.entries(bads(wire))) {
      it.live(`${name}: a start, a reconnect and every call end, typed, and nothing is left`, () =>
        Effect.gen(function* () {
          const [, exits] = yield* Effect.all(
            [
              Effect.forEach(turns, (turn) => tried(name, bad, turn), { concurrency: "unbounded" }),
              called(name, bad)
            ],
            { concurrency: "unbounded" }
          )
          for (const exit of exits) {
            if (Exit.isFailure(exit)) expect(Exit.hasDies(exit), String(exit)).toBe(false)
          }
          expect(thrown).toEqual([])
        })
      )
    }
  })

  describe("a server that closes after any byte of a boot that was right so far", () => {
    it.live("ends a start and a reconnect in a typed error, and the whole boot serves", () =>
      Effect.gen(function* () {
        const whole = yield* closingAfter(Number.POSITIVE_INFINITY, wire)
        yield* Effect.scoped(connected(whole))
        const total = whole.sent()
        expect(total).toBeGreaterThan(60)
        yield* Effect.forEach(
          Array.from({ length: total }, (_, bytes) => bytes),
          Effect.fnUntraced(function* (bytes) {
            const what = `closing after ${bytes} bytes of ${total}`
            const server = yield* closingAfter(bytes, wire)
            expect(yield* started(what, server), what).toBe(passing)
            const again = yield* closingAfter(bytes, wire)
            const path = yield* forwarder(good)
            expect(yield* Effect.scoped(reconnected(what, good, again, path)), what).toBe(passing)
            for (const place of [server, again, path]) yield* drained(place)
          }, Effect.scoped),
          { concurrency: 48, discard: true }
        )
        expect(thrown).toEqual([])
      })
    )
  })

  describe(`${streams} random streams`, () => {
    it.live("end a start and a reconnect in a typed error, unless they happen to be right", () =>
      Effect.gen(function* () {
        yield* Effect.forEach(
          Array.from({ length: streams }, (_, seed) => seed),
          Effect.fnUntraced(function* (seed) {
            const turn = turns[seed % turns.length] ?? "boot"
            const what = `stream ${seed}, at the ${turn}`
            const server = yield* badServer(turn, saysAtRandom(seed), wire)
            const stream = randomStream(seed).toString("latin1")
            // Every other one takes the place of a good node.
            const end =
              Math.floor(seed / turns.length) % 2 === 0 || takesThePin.test(stream)
                ? yield* started(what, server)
                : yield* Effect.scoped(
                    Effect.flatMap(forwarder(good), (path) => reconnected(what, good, server, path))
                  )
            if ((turn === "read" ? rightRead : right).test(stream)) return
            expect(tags, what).toContain(end)
            expect(server.heard(), what).not.toContain("mine")
          }, Effect.scoped),
          { concurrency: 48, discard: true }
        )
        expect(thrown).toEqual([])
      })
    )
  })
}
