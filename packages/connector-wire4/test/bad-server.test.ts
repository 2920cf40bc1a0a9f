import { type Connector, VERSION_KEY } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { ConnectorWire4 } from "../src/index.ts"
import {
  type Bad,
  badServer,
  bads,
  closingAfter,
  randomStream,
  saysAtRandom,
  type Turn
} from "./support/badServer.ts"
import { type Forwarder, forwarder } from "./support/forwarder.ts"
import { uncaught } from "./support/uncaught.ts"

const connectTimeout = 300

const options = {
  connectTimeout,
  commandTimeout: 300,
  heartbeat: 300,
  linkTimeout: 600,
  backoff: { base: 10, max: 50 }
}

/** For a machine that is busy: what never settles exceeds any. */
const SLACK = 15_000

/** How a start or a reconnect may end; anything else is a mistake, a defect above all. */
const passing = "ConnectFailed"
const fatal = ["AuthRefused", "BootRefused", "VersionFence"]
const tags = [passing, ...fatal]
const serving = "serving"

const within = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.timeoutOrElse(effect, {
    duration: connectTimeout + SLACK,
    orElse: () => Effect.die(new Error(`never settled: ${what}`))
  })

interface Address {
  readonly host: string
  readonly port: number
}

interface Hearing extends Address {
  readonly heard: () => string
}

/** How a start ends: by the tag of its error, or serving. */
const started = (what: string, { host, port }: Address) =>
  within(
    what,
    Effect.scoped(ConnectorWire4.make({ ...options, host, port })).pipe(
      Effect.as(serving),
      Effect.catch((error) => Effect.succeed(error._tag))
    )
  )

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

const drained = (server: { readonly connections: Effect.Effect<number> }) =>
  until("no connection is open", server.connections, (open) => open === 0)

/** How the first attempt ends after the node's place was taken: by the tag of its error, or serving. */
const ended = (connector: Connector["Service"], bad: Hearing, before: number) =>
  until(
    "an attempt has ended",
    connector.status,
    (status) =>
      status._tag === "Stopped" ||
      (status._tag === "Down" && status.error._tag !== "Disconnected") ||
      (status._tag === "Serving" && bad.heard().includes(VERSION_KEY, before))
  ).pipe(Effect.map((status) => ("error" in status ? status.error._tag : serving)))

/** A connector of a server that serves, which a busy machine may keep it from finding out at once. */
const connected = ({ host, port }: Address) =>
  Effect.retry(ConnectorWire4.make({ ...options, host, port }), { times: 20 })

/** Calls without a pause, none of which may reach a server that is not fenced. */
const calling = (connector: Connector["Service"]) =>
  Effect.forkScoped(
    Effect.forever(Effect.andThen(Effect.exit(connector.command(["SET", "mine", "1"])), Effect.sleep(5)))
  )

/** A connector of a good node, which a bad server replaces, and the good node again. */
const reconnected = Effect.fnUntraced(function* (what: string, good: Address, bad: Hearing, path: Forwarder) {
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
  return tag
})

let good: TestNode["Service"]
let thrown: ReadonlyArray<unknown>
const scope = Scope.makeUnsafe()

beforeAll(() =>
  Effect.gen(function* () {
    good = yield* TestNode.make()
    thrown = yield* uncaught
    // So that no test finds it empty.
    yield* Effect.scoped(ConnectorWire4.make({ host: good.host, port: good.port }))
  }).pipe(Scope.provide(scope), Effect.runPromise)
)

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const turns: ReadonlyArray<Turn> = ["knock", "setup", "boot"]

/** A server that replaces a good node, or that is the first to be tried: how a start and a reconnect end. */
const tried = Effect.fnUntraced(function* (name: string, bad: Bad, turn: Turn) {
  const what = `${name}, at the ${turn}`
  const server = yield* badServer(turn, bad)
  const path = yield* forwarder(good)
  const ends = [yield* started(what, server), yield* Effect.scoped(reconnected(what, good, server, path))]
  if (!ends.includes(serving)) expect(server.heard(), what).not.toContain("mine")
  if (owing.has(name)) yield* server.hangUp
  yield* drained(server)
  yield* drained(path)
  return ends
})

/** A server that turns bad once it serves: how calls end. */
const called = Effect.fnUntraced(function* (name: string, bad: Bad) {
  const server = yield* badServer("served", bad)
  const exits = yield* Effect.scoped(
    Effect.gen(function* () {
      const connector = yield* connected(server)
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
  for (const [name, bad] of Object.entries(bads)) {
    it.live(`${name}: a start, a reconnect and every call end, typed, and nothing is left`, () =>
      Effect.gen(function* () {
        const [ends, exits] = yield* Effect.all(
          [
            Effect.forEach(turns, (turn) => tried(name, bad, turn), { concurrency: "unbounded" }),
            called(name, bad)
          ],
          { concurrency: "unbounded" }
        )
        const allowed = harmless.has(name) ? [...tags, serving] : tags
        expect(allowed).toEqual(expect.arrayContaining(ends.flat()))
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
      const whole = yield* closingAfter(Number.POSITIVE_INFINITY)
      yield* Effect.scoped(ConnectorWire4.make({ host: whole.host, port: whole.port }))
      const total = whole.sent()
      expect(total).toBeGreaterThan(60)
      yield* Effect.forEach(
        Array.from({ length: total }, (_, bytes) => bytes),
        Effect.fnUntraced(function* (bytes) {
          const what = `closing after ${bytes} bytes of ${total}`
          const server = yield* closingAfter(bytes)
          expect(yield* started(what, server), what).toBe(passing)
          const again = yield* closingAfter(bytes)
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

const STREAMS = 1_000

/** An error, which refuses the pin, and the right value: who says this to the boot has passed the fence. */
const right = /(-[^\r\n]*|!3\r\nERR)\r\n\$12\r\nechomq:4\.0\.0\r\n/

describe(`${STREAMS} random streams`, () => {
  it.live("end a start and a reconnect in a typed error, unless they happen to be right", () =>
    Effect.gen(function* () {
      yield* Effect.forEach(
        Array.from({ length: STREAMS }, (_, seed) => seed),
        Effect.fnUntraced(function* (seed) {
          const turn = turns[seed % turns.length] ?? "boot"
          const what = `stream ${seed}, at the ${turn}`
          const server = yield* badServer(turn, saysAtRandom(seed))
          // Every other one takes the place of a good node.
          const end =
            seed % 2 === 0
              ? yield* started(what, server)
              : yield* Effect.scoped(
                  Effect.flatMap(forwarder(good), (path) => reconnected(what, good, server, path))
                )
          if (right.test(randomStream(seed).toString("latin1"))) return
          expect(tags, what).toContain(end)
          expect(server.heard(), what).not.toContain("mine")
        }, Effect.scoped),
        { concurrency: 48, discard: true }
      )
      expect(thrown).toEqual([])
    })
  )
})
