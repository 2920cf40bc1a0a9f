/**
 * What every connector keeps to, whoever made it and whatever it is connected to: tests to be
 * declared for each.
 */

import {
  Closed,
  type Command,
  CommandRefused,
  type ConnectFailed,
  type Connector,
  type FatalError,
  IDENTITY,
  type Part,
  type Script,
  ServerError,
  type Status,
  script,
  transition,
  VERSION_KEY,
  VersionFence,
  type Wire
} from "@echomq/keyspace"
import { MemoryConnector, MemoryNode, type Twin } from "@echomq/keyspace/testing"
import { describe, expect, it } from "@effect/vitest"
import { type Config, Effect, Exit, Fiber, Schema, Scope, Stream } from "effect"
import type { NodeError } from "./NodeError.ts"
import type { NodeOptions } from "./NodeOptions.ts"
import { TestNode } from "./TestNode.ts"

type Service = Connector["Service"]

/** The bounds that a test sets. */
export interface Limits {
  readonly backoff?: { readonly base: number; readonly max: number }
  readonly connectTimeout?: number
  readonly commandTimeout?: number
  readonly pendingLimit?: number
}

/** A node, and how a connector to it is made. */
export interface Subject {
  readonly connect: (limits: Limits) => Effect.Effect<Service, ConnectFailed | FatalError, Scope.Scope>
  /** Runs a command past every connector. */
  readonly command: (...command: Command) => Effect.Effect<unknown, unknown>
  /** Says what a script does, to a node that has to be told. */
  readonly script: (script: Script, twin: Twin) => Effect.Effect<void>
  readonly cut: Effect.Effect<unknown, unknown>
  readonly kill: Effect.Effect<void, unknown>
  readonly restart: Effect.Effect<void, unknown>
  readonly pause: Effect.Effect<void, unknown>
  readonly resume: Effect.Effect<void, unknown>
  /** Another node in its place, with nothing but this. */
  readonly replace: (version: string | null) => Effect.Effect<void, unknown>
}

/** Waits until a condition holds; the deadline is only there to end a test that would hang. */
const until = <A, E>(
  what: string,
  condition: Effect.Effect<A, E>,
  holds: (value: A) => boolean
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const poll: Effect.Effect<A, E> = Effect.flatMap(condition, (value) =>
      holds(value) ? Effect.succeed(value) : Effect.andThen(Effect.sleep(5), poll)
    )
    return Effect.timeoutOrElse(poll, {
      duration: "20 seconds",
      orElse: () => Effect.die(new Error(`waited in vain until ${what}`))
    })
  })

const untilStatus = ({ status }: Service, tag: Status["_tag"]) =>
  until(`it is ${tag}`, status, ({ _tag }) => _tag === tag)

/** Long enough for what was forked to have been sent. */
const sent = Effect.sleep(100)

const quick: Limits = { backoff: { base: 20, max: 100 } }

/** Every element of a stream from now on, and the fiber that gathers them. */
const gathered = <A, E>(stream: Stream.Stream<A, E>) =>
  Effect.gen(function* () {
    const seen: Array<A> = []
    const fiber = yield* Effect.forkScoped(
      Stream.runForEach(stream, (value) => Effect.sync(() => seen.push(value)))
    )
    return { seen, fiber }
  })

const record = (fields: Record<string, unknown>): unknown => Object.assign(Object.create(null), fields)

/** One kind of bytes, whichever runtime's. */
const plain = (reply: unknown): unknown => {
  if (reply instanceof Uint8Array) return Uint8Array.from(reply)
  if (Array.isArray(reply)) return reply.map(plain)
  if (reply === null || typeof reply !== "object" || Object.getPrototypeOf(reply) !== null) return reply
  return record(Object.fromEntries(Object.entries(reply).map(([key, value]) => [key, plain(value)])))
}

const error = (message: string) => ServerError.of(message)

const WRONGTYPE = error("WRONGTYPE Operation against a key holding the wrong kind of value")
const NOT_INTEGER = error("ERR value is not an integer or out of range")
const SYNTAX = error("ERR syntax error")
const arity = (name: string) => error(`ERR wrong number of arguments for '${name}' command`)

type Line = readonly [command: Command, reply: unknown]

/** Commands in their order, with the reply of each. */
const dialogues: Readonly<Record<string, ReadonlyArray<Line>>> = {
  "about the server": [
    [["PING"], "PONG"],
    [["ping", "there"], "there"],
    [["ECHO", "é😀"], "é😀"],
    [["ECHO", Uint8Array.of(0x65, 0xff)], Uint8Array.of(0x65, 0xff)],
    [["ECHO"], arity("echo")],
    [["PING", "a", "b"], arity("ping")],
    [["NOPE"], error("ERR unknown command 'NOPE', with args beginning with: ")],
    [["nope", "a", 1], error("ERR unknown command 'nope', with args beginning with: 'a' '1' ")],
    [["PUBLISH", "nobody", "hears"], 0]
  ],
  "of strings": [
    [["GET", "a"], null],
    [["SET", "a", "1"], "OK"],
    [["SET", "a", "2", "NX"], null],
    [["SET", "a", "2", "GET"], "1"],
    [["SET", "none", "2", "xx"], null],
    [["SET", "a", "3", "XX", "GET"], "2"],
    [["SET", "a", "3", "NX", "XX"], SYNTAX],
    [["SET", "a", "3", "EX", 0], error("ERR invalid expire time in 'set' command")],
    [["SET", "a", "3", "EX", "soon"], NOT_INTEGER],
    [["SET", "a", "3", "EX", 1, "PX", 1], SYNTAX],
    [["SET", "a"], arity("set")],
    [["GET"], arity("get")],
    [["INCR", "a"], 4],
    [["INCRBY", "a", -5], -1],
    [["INCRBY", "a", "x"], NOT_INTEGER],
    [["SET", "b", "x", "PX", 100_000], "OK"],
    [["TTL", "b"], 100],
    [["TTL", "a"], -1],
    [["PTTL", "none"], -2],
    [["INCR", "b"], NOT_INTEGER],
    [["SET", "n", "9223372036854775807"], "OK"],
    [["INCR", "n"], error("ERR increment or decrement would overflow")]
  ],
  "of keys": [
    [["SET", "a", "1"], "OK"],
    [["SET", "other", "1"], "OK"],
    [["EXISTS", "a", "a", "none"], 2],
    [["TYPE", "a"], "string"],
    [["TYPE", "none"], "none"],
    [["KEYS", "o*"], ["other"]],
    [["KEYS", "[m-p]t?er"], ["other"]],
    [["KEYS", "[^o]ther"], []],
    [["DBSIZE"], 3],
    [["DEL", "a", "none"], 1],
    [["FLUSHALL", "later"], SYNTAX],
    [["FLUSHALL"], "OK"],
    [["DBSIZE"], 0]
  ],
  "of hashes": [
    [["HSET", "h", "a", "1", "__proto__", "2"], 2],
    [["HSET", "h", "a", "3"], 0],
    [["HSET", "h", "a"], arity("hset")],
    [["HSET", "h", "a", "1", "b"], arity("hset")],
    [["HGET", "h", "a"], "3"],
    [["HGET", "h", "none"], null],
    [["HGET", "none", "a"], null],
    [["HGETALL", "h"], record({ a: "3", ["__proto__"]: "2" })],
    [["HGETALL", "none"], record({})],
    [["HDEL", "h", "a", "__proto__", "none"], 2],
    [["EXISTS", "h"], 0]
  ],
  "of lists": [
    [["RPUSH", "l", "b", "c"], 2],
    [["LPUSH", "l", "a", "z"], 4],
    [
      ["LRANGE", "l", 0, -1],
      ["z", "a", "b", "c"]
    ],
    [
      ["LRANGE", "l", -2, 9],
      ["b", "c"]
    ],
    [["LRANGE", "l", "x", 1], NOT_INTEGER],
    [["LLEN", "l"], 4],
    [["LPOP", "l"], "z"],
    [["RPOP", "l"], "c"],
    [
      ["LPOP", "l", 9],
      ["a", "b"]
    ],
    [["LPOP", "l"], null],
    [["LPOP", "l", 1], null],
    [["LPOP", "l", -1], error("ERR value is out of range, must be positive")],
    [["EXISTS", "l"], 0]
  ],
  "of sets, sorted and not": [
    [["SADD", "s", "1", "2", "1"], 2],
    [
      ["SMEMBERS", "s"],
      ["1", "2"]
    ],
    [["SMEMBERS", "none"], []],
    [["ZADD", "z", 2, "b", "1.5", "c", "-inf", "9"], 3],
    [["ZADD", "z", 1.5, "a"], 1],
    [
      ["ZRANGE", "z", 0, -1],
      ["9", "a", "c", "b"]
    ],
    [
      ["ZRANGE", "z", 0, 1, "WITHSCORES"],
      [
        ["9", Number.NEGATIVE_INFINITY],
        ["a", 1.5]
      ]
    ],
    [["ZADD", "z", "x", "a"], error("ERR value is not a valid float")],
    [["ZADD", "z", 1, "a", 2], SYNTAX],
    [["ZRANGE", "z", 0, -1, "BACKWARDS"], SYNTAX]
  ],
  "of the wrong type": [
    [["SET", "a", "1"], "OK"],
    [["LPUSH", "l", "1"], 1],
    ...(
      [
        ["GET", "l"],
        ["INCR", "l"],
        ["SET", "l", "1", "GET"],
        ["LPUSH", "a", "1"],
        ["LRANGE", "a", 0, 1],
        ["HGETALL", "l"],
        ["SADD", "l", "1"],
        ["ZRANGE", "l", 0, 1]
      ] satisfies ReadonlyArray<Command>
    ).map((command): Line => [command, WRONGTYPE]),
    [["SET", "l", "1"], "OK"]
  ]
}

const verb = (...rest: Command): Command => ["EMQ.ENQUEUE", ...rest]

/** The module's, on a node where it is installed. */
const native: ReadonlyArray<Line> = [
  [verb(1, "emq:{q}:pending", "a"), 1],
  [["EMQ.CLAIM", 2, "emq:{q}:pending", "emq:{q}:active"], 2],
  [
    ["LRANGE", "emq:{q}:journal", 0, -1],
    [
      "*4\r\n$11\r\nEMQ.ENQUEUE\r\n$1\r\n1\r\n$15\r\nemq:{q}:pending\r\n$1\r\na\r\n",
      "*4\r\n$9\r\nEMQ.CLAIM\r\n$1\r\n2\r\n$15\r\nemq:{q}:pending\r\n$14\r\nemq:{q}:active\r\n"
    ]
  ],
  [verb(), arity("emq.enqueue")],
  [verb("x", "k"), error("ERR EMQ.ENQUEUE numkeys is not an integer or out of range: x")],
  [verb(0, "k"), error("ERR EMQ.ENQUEUE numkeys must be at least 1, got 0")],
  [verb(3, "k"), error("ERR EMQ.ENQUEUE numkeys is 3, larger than the 1 that follow")],
  [verb(1, "k"), error("EMQKEY EMQ.ENQUEUE key 1 is not in queue space emq:{q}:<type>: k")],
  [
    verb(2, "emq:{q}:a", "emq:{p}:a"),
    error("EMQKEY EMQ.ENQUEUE key 2 is not of the queue of key 1: emq:{p}:a")
  ],
  [["EMQ.INSTALL", 2, "k"], error("ERR EMQ.INSTALL numkeys must be 1, got 2")],
  [["EMQ.INSTALL", 1, "k"], error(`EMQKEY EMQ.INSTALL key 1 must be ${VERSION_KEY}: k`)],
  [["EMQ.INSTALL", 1, VERSION_KEY], 0]
]

/** Commands as a seed has them, on few keys, so that they meet; many of them wrong. */
const random = (seed: number, count: number): ReadonlyArray<Command> => {
  let state = seed
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const one = <A>(list: ReadonlyArray<A>): A => list[below(list.length)] as A
  const command = (): Command => {
    const [name, ...parts] = one(shapes).split(" ")
    const filled = parts.map((part): Part => {
      const pool = pools[part]
      return pool === undefined ? part : one(pool)
    })
    const rest = below(12) === 0 ? [...filled, one(numbers)] : below(20) === 0 ? filled.slice(1) : filled
    return [name ?? "", ...rest]
  }
  return Array.from({ length: count }, command)
}

const values: ReadonlyArray<Part> = ["a", "b", "", "é", Uint8Array.of(0xff), "\n", "__proto__", "10", "9"]
const numbers: ReadonlyArray<Part> = [0, 1, -1, 2, -3, 9, "1.5", "x", "01", "9223372036854775807", "", " 1"]
const scores: ReadonlyArray<Part> = [0, 1, -1, "1.5", "inf", "-inf", "nan", "x", "1e3", ""]

const pools: Readonly<Record<string, ReadonlyArray<Part>>> = {
  k: ["k1", "k2", "k3", "k4"],
  v: values,
  n: numbers,
  s: scores,
  t: [100, 0, -1, "x", "", "1.5", "9223372036854775807", "9223372036854774"]
}

const shapes: ReadonlyArray<string> = [
  ...["GET k", "SET k v", "SET k n", "SET k v NX", "SET k v XX GET", "SET k v EX t", "SET k v PX 100000 NX"],
  ...[
    "INCR k",
    "INCRBY k n",
    "DEL k",
    "DEL k k",
    "EXISTS k k k",
    "TYPE k",
    "KEYS k*",
    "KEYS [^v]?",
    "DBSIZE"
  ],
  ...["HSET k v v", "HSET k v v v n", "HGET k v", "HGETALL k", "HDEL k v v", "LPUSH k v", "RPUSH k v n"],
  ...["LRANGE k n n", "LLEN k", "LPOP k", "RPOP k", "LPOP k n", "RPOP k n", "SADD k v v", "SMEMBERS k"],
  ...["ZADD k s v", "ZADD k s v s v", "ZRANGE k n n", "ZRANGE k n n WITHSCORES", "ECHO v", "PING", "NOPE n n"]
]

/** Of these the order is the server's own affair. */
const comparable = ([name]: Command, reply: unknown): unknown =>
  Array.isArray(reply) && (name === "SMEMBERS" || name === "KEYS")
    ? reply.map((element) => String(plain(element))).toSorted()
    : plain(reply)

const bump = script("return redis.call('INCRBY', KEYS[1], ARGV[1])")
const bumpTwin: Twin = ([key = ""], [by = ""], call) => call("INCRBY", key, by)

const append = transition({
  name: "append",
  keys: 1,
  args: Schema.Tuple([Schema.String]),
  result: Schema.Int,
  scripted: script("return redis.call('RPUSH', KEYS[1], ARGV[1])"),
  native: { verb: "EMQ.APPEND", capability: "append" }
})

const appendTwin: Twin = ([key = ""], [value = ""], call) => call("RPUSH", key, value)

/** Declares the tests of a connector on a wire. `start` starts a node that holds this. */
export const contract = (
  name: string,
  wire: Wire,
  start: (version: string | null) => Effect.Effect<Subject, unknown, Scope.Scope>
): void => {
  const own = IDENTITY[wire]
  const foreign = IDENTITY[wire === 4 ? 6 : 4]

  /** A node that this wire runs on, and a connector to it. */
  const serving = Effect.fnUntraced(function* (limits: Limits = {}) {
    const node = yield* start(own)
    const connector = yield* node.connect({ ...quick, ...limits })
    return { node, connector }
  })

  const expectFence = (failure: unknown, got: string | null = foreign) => {
    expect(failure).toBeInstanceOf(VersionFence)
    expect(failure).toMatchObject({ fatal: "version_fence", expected: own, got })
  }

  describe(`${name}: a start`, () => {
    it.live("on a node of this wire serves", () =>
      Effect.gen(function* () {
        const { connector } = yield* serving()
        expect(connector.wire).toBe(wire)
        expect(yield* connector.status).toMatchObject({ _tag: "Serving" })
        expect(yield* connector.command(["GET", VERSION_KEY])).toBe(own)
      })
    )

    it.live(
      wire === 4 ? "on an empty node claims it" : "on an empty node is refused, and writes nothing",
      () =>
        Effect.gen(function* () {
          const node = yield* start(null)
          if (wire === 4) yield* node.connect({})
          else expectFence(yield* Effect.flip(node.connect({})), null)
          expect(yield* node.command("GET", VERSION_KEY)).toBe(wire === 4 ? own : null)
        })
    )

    it.live.each<readonly [what: string, version: string, got: string]>([
      ["the other wire", foreign, foreign],
      ["text", "more\n", "more\\n"],
      ["nothing", "", ""]
    ])("on a node that holds %s is refused, and writes nothing", ([, version, got]) =>
      Effect.gen(function* () {
        const node = yield* start(version)
        expectFence(yield* Effect.flip(node.connect({})), got)
        expect(yield* node.command("GET", VERSION_KEY)).toBe(version)
        expect(yield* node.command("DBSIZE")).toBe(1)
      })
    )

    it.live("on a node that holds no string is refused with the server's words", () =>
      Effect.gen(function* () {
        const node = yield* start(null)
        yield* node.command("RPUSH", VERSION_KEY, own)
        const failure = yield* Effect.flip(node.connect({}))
        expectFence(failure, WRONGTYPE.message)
        expect(failure).toMatchObject({ error: { code: "WRONGTYPE" } })
      })
    )

    it.live("on a node that is not there, or does not answer, is no fatal failure", () =>
      Effect.gen(function* () {
        const node = yield* start(own)
        yield* node.pause
        expect(yield* Effect.flip(node.connect({ connectTimeout: 300 }))).toMatchObject({
          _tag: "ConnectFailed",
          reason: "timeout"
        })
        yield* node.kill
        expect(yield* Effect.flip(node.connect({}))).toMatchObject({
          _tag: "ConnectFailed",
          reason: "refused"
        })
      })
    )
  })

  describe(`${name}: replies`, () => {
    const lines = { ...dialogues, ...(wire === 6 ? { "of the module": native } : {}) }
    for (const [what, dialogue] of Object.entries(lines)) {
      it.live(`to commands ${what}, by themselves and in a pipeline`, () =>
        Effect.gen(function* () {
          const { connector } = yield* serving()
          for (const [command, reply] of dialogue) {
            const result = yield* Effect.match(connector.command(command), {
              onSuccess: plain,
              onFailure: (failure): unknown => failure
            })
            expect(result, command.join(" ")).toStrictEqual(reply)
          }
          const second = yield* serving()
          const replies = yield* second.connector.pipeline(dialogue.map(([command]) => command))
          expect(replies.map(plain)).toStrictEqual(dialogue.map(([, reply]) => reply))
        })
      )
    }

    it.live("to commands at random are those of the memory node", () =>
      Effect.gen(function* () {
        const { connector } = yield* serving()
        const model = yield* MemoryConnector.make(yield* MemoryNode.make({ version: own }), { wire })
        for (let seed = 1; seed <= 50; seed++) {
          const commands: ReadonlyArray<Command> = [["FLUSHALL"], ...random(seed, 200)]
          const ours = yield* connector.pipeline(commands)
          const theirs = yield* model.pipeline(commands)
          const lines = (replies: ReadonlyArray<unknown>) =>
            commands.map((command, i) => [command.join(" "), comparable(command, replies[i])])
          expect(lines(ours), `seed ${seed}`).toEqual(lines(theirs))
        }
      })
    )

    it.live("come as bytes where that is asked", () =>
      Effect.gen(function* () {
        const { connector } = yield* serving()
        yield* connector.command(["HSET", "h", "é", "1"])
        const bytes = (text: string) => new TextEncoder().encode(text)
        const replies = yield* connector.pipeline([["PING"], ["HGETALL", "h"], ["HGETALL", "none"]], {
          bytes: true
        })
        expect(plain(replies)).toEqual([bytes("PONG"), [[bytes("é"), bytes("1")]], []])
      })
    )

    it.live("that are integers too large to be exact fail a command, and are values in a pipeline", () =>
      Effect.gen(function* () {
        const { connector } = yield* serving()
        yield* connector.command(["SET", "n", String(2 ** 53)])
        const increment: Command = ["INCRBY", "n", 1]
        const inexact = { _tag: "InexactInteger", command: "INCRBY" }
        expect(yield* Effect.flip(connector.command(increment))).toMatchObject(inexact)
        expect((yield* connector.pipeline([increment]))[0]).toMatchObject(inexact)
        expect(yield* connector.command(["GET", "n"])).toBe("9007199254740994")
      })
    )

    it.live("of a transaction come together, with its errors in their places, or not at all", () =>
      Effect.gen(function* () {
        const { connector } = yield* serving()
        expect(
          yield* connector.transaction([
            ["SET", "a", 1],
            ["LPUSH", "a", 1],
            ["INCR", "a"]
          ])
        ).toEqual(["OK", WRONGTYPE, 2])
        expect(yield* Effect.flip(connector.transaction([["SET", "b", 1], ["GET"]]))).toEqual(arity("get"))
        expect(yield* connector.command(["EXISTS", "b"])).toBe(0)
        expect(yield* connector.transaction([])).toEqual([])
        expect(yield* connector.pipeline([])).toEqual([])
      })
    )
  })

  describe(`${name}: what must not be sent`, () => {
    const refused: ReadonlyArray<Command> = [
      ["AUTH", "secret"],
      ["select", 1],
      ["Multi"],
      ["SUBSCRIBE", "c"],
      ["CLIENT", "setname", "x"],
      ["BLPOP", "l", 0],
      [new TextEncoder().encode("blpop"), "l", 0],
      ["XREAD", "BLOCK", 0, "STREAMS", "s", "$"],
      ["ECHO", "\ud800"],
      ["ECHO", 2 ** 53],
      ["ECHO", Number.NaN],
      []
    ]

    it.live("is refused, wherever it stands, and nothing is sent", () =>
      Effect.gen(function* () {
        const { connector } = yield* serving()
        const set: Command = ["SET", "key", "value"]
        for (const command of refused) {
          for (const call of [
            connector.command(command),
            connector.pipeline([set, command]),
            connector.transaction([set, command])
          ]) {
            expect(yield* Effect.flip(call)).toBeInstanceOf(CommandRefused)
          }
        }
        expect(yield* connector.command(["EXISTS", "key"])).toBe(0)
        expect(yield* connector.stats).toMatchObject({ commands: 1, pipelines: 0, transactions: 0 })
      })
    )

    it.live("may block over a lane, and must not change its state there", () =>
      Effect.gen(function* () {
        const { connector } = yield* serving()
        const lane = yield* connector.lane
        expect(yield* lane.command(["BLPOP", "l", "0.01"])).toBe(null)
        expect(yield* Effect.flip(lane.command(["SELECT", 1]))).toBeInstanceOf(CommandRefused)
      })
    )
  })

  describe(`${name}: scripts and transitions`, () => {
    it.live("a script runs by itself, in a pipeline and in a transaction, and is loaded once", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serving()
        yield* node.script(bump, bumpTwin)
        const call = { script: bump, keys: ["n"], args: [2] }
        expect(yield* connector.eval(bump, ["n"], [2])).toBe(2)
        expect(yield* connector.eval(bump, ["n"], [2])).toBe(4)
        expect(yield* connector.pipeline([["INCR", "n"], call, call])).toEqual([5, 7, 9])
        expect(yield* connector.transaction([call, ["GET", "n"]])).toEqual([11, "11"])
        expect(yield* connector.stats).toMatchObject({ evalshaCalls: 4, scriptLoads: 1 })
        yield* node.restart
        yield* until("it is back", connector.stats, ({ reconnects }) => reconnects === 1)
        expect(yield* connector.pipeline([call])).toEqual([13])
        expect(yield* connector.stats).toMatchObject({ evalshaCalls: 5, scriptLoads: 2 })
      })
    )

    it.live("a script's error is the call's", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serving()
        yield* node.script(bump, bumpTwin)
        yield* connector.command(["LPUSH", "l", 1])
        const failure = yield* Effect.flip(connector.eval(bump, ["l"], [2]))
        expect(failure).toMatchObject({ _tag: "ServerError", code: "WRONGTYPE" })
        expect((yield* connector.pipeline([{ script: bump, keys: ["l"], args: [2] }]))[0]).toBeInstanceOf(
          ServerError
        )
      })
    )

    it.live("a transition gives the same on either wire", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serving()
        yield* node.script(append.scripted, appendTwin)
        expect(yield* connector.run(append, ["emq:{q}:events"], ["a"])).toBe(1)
        expect(yield* connector.run(append, ["emq:{q}:events"], ["b"])).toBe(2)
        expect(yield* Effect.flip(connector.run(append, [], ["b"]))).toMatchObject({
          _tag: "CommandRefused",
          command: "append",
          why: "it was given 0 keys"
        })
      })
    )
  })

  describe(`${name}: lanes`, () => {
    it.live("wait for what comes, first come first served, and leave the shared connection free", () =>
      Effect.gen(function* () {
        const { connector } = yield* serving()
        const pop = Effect.flatMap(connector.lane, (lane) =>
          Effect.forkScoped(lane.command(["BLPOP", "none", "l", 0]))
        )
        const first = yield* pop
        yield* sent
        const second = yield* pop
        yield* sent
        expect(yield* connector.command(["RPUSH", "l", "a", "b", "c"])).toBe(3)
        expect(yield* Fiber.join(first)).toEqual(["l", "a"])
        expect(yield* Fiber.join(second)).toEqual(["l", "b"])
        expect(yield* connector.command(["LRANGE", "l", 0, -1])).toEqual(["c"])
      })
    )

    it.live("whose caller was interrupted take nothing, and serve the next", () =>
      Effect.gen(function* () {
        const { connector } = yield* serving()
        const lane = yield* connector.lane
        const waiting = yield* Effect.forkScoped(lane.command(["BLPOP", "l", 0]))
        yield* sent
        yield* Fiber.interrupt(waiting)
        yield* connector.command(["RPUSH", "l", "a"])
        yield* sent
        expect(yield* connector.command(["LLEN", "l"])).toBe(1)
        expect(yield* lane.command(["BLPOP", "l", 0])).toEqual(["l", "a"])
      })
    )

    it.live("that lose their connection fail what waits, and are dialled again by what comes", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serving()
        const lane = yield* connector.lane
        const waiting = yield* Effect.forkScoped(Effect.flip(lane.command(["BLPOP", "l", 0])))
        yield* sent
        yield* node.restart
        expect(yield* Fiber.join(waiting)).toMatchObject({ _tag: "Disconnected", outcome: "unknown" })
        yield* until("the connector is back", connector.stats, ({ reconnects }) => reconnects === 1)
        expect(yield* lane.command(["ECHO", "again"])).toBe("again")
      })
    )

    it.live("check the fence whenever they dial", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serving()
        yield* node.command("SET", VERSION_KEY, foreign)
        expectFence(yield* Effect.flip(connector.lane))
        // The connection that was fenced before goes on, and the lane's refusal is the lane's.
        expect(yield* connector.command(["PING"])).toBe("PONG")
      })
    )
  })

  describe(`${name}: the end of a lane`, () => {
    const waiting = Effect.fnUntraced(function* (connector: Service, scope: Scope.Scope) {
      const lane = yield* Scope.provide(connector.lane, scope)
      const pop = yield* Effect.forkScoped(Effect.flip(lane.command(["BLPOP", "l", 0])))
      yield* sent
      return { lane, pop }
    })

    it.live("is that of its scope", () =>
      Effect.gen(function* () {
        const { connector } = yield* serving()
        const scope = yield* Scope.make()
        const { lane, pop } = yield* waiting(connector, scope)
        yield* Scope.close(scope, Exit.void)
        expect(yield* Fiber.join(pop)).toEqual(new Closed())
        expect(yield* Effect.flip(lane.command(["PING"]))).toEqual(new Closed())
        expect(yield* connector.command(["PING"])).toBe("PONG")
      })
    )

    it.live("is that of its connector, closed or stopped", () =>
      Effect.gen(function* () {
        const node = yield* start(own)
        const [lanes, first] = [yield* Effect.scope, yield* Scope.make()]
        const closing = yield* waiting(yield* Scope.provide(node.connect(quick), first), lanes)
        yield* Scope.close(first, Exit.void)
        expect(yield* Fiber.join(closing.pop)).toEqual(new Closed())
        expect(yield* Effect.flip(closing.lane.command(["PING"]))).toEqual(new Closed())

        const connector = yield* node.connect(quick)
        const stopping = yield* waiting(connector, lanes)
        yield* node.replace(foreign)
        expectFence(yield* Effect.flip(connector.stopped))
        yield* Fiber.join(stopping.pop)
        expectFence(yield* Effect.flip(stopping.lane.command(["PING"])))
        expectFence(yield* Effect.flip(connector.lane))
      })
    )
  })

  describe(`${name}: subscriptions`, () => {
    it.live("hear what is published, to channels and to patterns, also after a loss", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serving()
        const channels = yield* gathered(connector.subscribe(["news", "other"]))
        const patterns = yield* gathered(connector.psubscribe(["n?ws"]))
        const heard = until("both hear", node.command("PUBLISH", "news", "tick"), (count) => count === 2)
        yield* heard
        yield* connector.command(["PUBLISH", "news", "text"])
        yield* connector.command(["PUBLISH", "news", Uint8Array.of(0xff)])
        yield* until(
          "all have come",
          Effect.sync(() => patterns.seen.length),
          () => patterns.seen.length >= 3
        )
        yield* until(
          "all have come",
          Effect.sync(() => channels.seen.length),
          () => channels.seen.length >= 3
        )
        const [text, bytes] = channels.seen.slice(-2)
        expect(text).toEqual({ channel: "news", pattern: null, message: "text" })
        expect(plain(bytes?.message)).toEqual(Uint8Array.of(0xff))
        expect(patterns.seen.at(-2)).toEqual({ channel: "news", pattern: "n?ws", message: "text" })
        yield* node.restart
        const before = channels.seen.length
        yield* heard
        yield* until(
          "it is heard",
          Effect.sync(() => channels.seen.length),
          (length) => length > before
        )
      })
    )

    it.live("check the fence first, and end with the connector", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serving()
        const { fiber } = yield* gathered(connector.subscribe(["news"]))
        yield* until("it hears", node.command("PUBLISH", "news", "tick"), (count) => count === 1)
        yield* node.command("SET", VERSION_KEY, foreign)
        expectFence(yield* Effect.flip(Stream.runDrain(connector.subscribe(["news"]))))
        yield* node.replace(foreign)
        expectFence(yield* Effect.flip(Fiber.join(fiber)))
      })
    )
  })

  describe(`${name}: a node that`, () => {
    it.live("was killed fails what was in flight and refuses what comes, until it is back", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serving()
        const { seen } = yield* gathered(connector.changes)
        yield* connector.command(["SET", "kept", "1"])
        yield* node.pause
        const calls = yield* Effect.forEach(
          [connector.command(["INCR", "kept"]), connector.pipeline([["INCR", "kept"], ["PING"]])],
          (call) => Effect.forkScoped(Effect.flip(call as Effect.Effect<unknown, unknown>))
        )
        yield* sent
        yield* node.kill
        for (const call of calls) {
          expect(yield* Fiber.join(call)).toMatchObject({ _tag: "Disconnected", outcome: "unknown" })
        }
        yield* until("it is noticed", connector.status, ({ _tag }) => _tag !== "Serving")
        expect(yield* Effect.flip(connector.command(["PING"]))).toMatchObject({
          _tag: "Disconnected",
          outcome: "not-sent"
        })
        expect(yield* Effect.flip(connector.transaction([["PING"]]))).toMatchObject({ outcome: "not-sent" })
        yield* node.restart
        yield* untilStatus(connector, "Serving")
        expect(yield* connector.command(["GET", "kept"])).toBe("1")
        expect(yield* connector.stats).toMatchObject({ reconnects: 1, pending: 0 })
        yield* until(
          "all is seen",
          Effect.sync(() => seen.at(-1)?._tag),
          (tag) => tag === "Serving"
        )
        expect(seen.map(({ _tag }) => _tag).join(" ")).toMatch(/^Serving( Down Connecting)+ Serving$/)
      })
    )

    it.live("is replaced by one of another wire stops the connector for good, and stays untouched", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serving()
        const { fiber, seen } = yield* gathered(connector.changes)
        const stopped = yield* Effect.forkScoped(Effect.flip(connector.stopped))
        yield* node.replace(foreign)
        expectFence(yield* Fiber.join(stopped))
        yield* untilStatus(connector, "Stopped")
        expectFence(yield* Effect.flip(connector.command(["SET", "a", 1])))
        expectFence(yield* Effect.flip(connector.pipeline([["SET", "a", 1]])))
        expectFence(yield* Effect.flip(connector.transaction([["SET", "a", 1]])))
        yield* Fiber.join(fiber)
        expect(seen.at(-1)).toMatchObject({ _tag: "Stopped" })
        yield* node.replace(own)
        yield* sent
        expectFence(yield* Effect.flip(connector.command(["SET", "a", 1])))
        expect(yield* node.command("EXISTS", "a")).toBe(0)
      })
    )

    it.live("changes under the connector stops it at the next connection", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serving()
        yield* node.command("SET", VERSION_KEY, foreign)
        expect(yield* connector.command(["PING"])).toBe("PONG")
        yield* node.cut
        expectFence(yield* Effect.flip(connector.stopped))
      })
    )

    it.live("cuts the connection is dialled again", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serving()
        for (let times = 1; times <= 2; times++) {
          yield* node.cut
          yield* until("it is back", connector.stats, ({ reconnects }) => reconnects === times)
          expect(yield* connector.command(["PING"])).toBe("PONG")
        }
      })
    )

    it.live("does not answer in time leaves the outcome unknown, and may answer later", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serving({ commandTimeout: 300 })
        yield* node.pause
        expect(yield* Effect.flip(connector.command(["INCR", "n"]))).toMatchObject({
          _tag: "CommandTimeout",
          command: "INCR",
          milliseconds: 300,
          outcome: "unknown"
        })
        yield* node.resume
        yield* until("it is executed", connector.command(["GET", "n"]), (value) => value === "1")
        expect(yield* connector.stats).toMatchObject({ reconnects: 0, pending: 0 })
      })
    )

    it.live("is behind with its replies is not asked for more than the limit", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serving({ pendingLimit: 3 })
        yield* node.pause
        const increment = connector.command(["INCR", "n"])
        const waiting = yield* Effect.forEach([1, 2, 3], () =>
          Effect.forkScoped(increment, { startImmediately: true })
        )
        yield* sent
        expect(yield* Effect.flip(increment)).toMatchObject({ _tag: "Overloaded", pending: 3, limit: 3 })
        yield* node.resume
        expect(yield* Effect.forEach(waiting, Fiber.join)).toEqual([1, 2, 3])
        const tooMany = connector.pipeline([["PING"], ["PING"], ["PING"], ["PING"]])
        expect(yield* Effect.flip(tooMany)).toMatchObject({ _tag: "Overloaded", pending: 0 })
        expect(yield* connector.stats).toMatchObject({ overloads: 2, pending: 0 })
      })
    )

    if (wire === 6) {
      it.live("refuses a verb by its own fence stops the connector", () =>
        Effect.gen(function* () {
          const { connector, node } = yield* serving()
          yield* node.command("SET", VERSION_KEY, foreign)
          const enqueue = connector.command(["EMQ.ENQUEUE", 1, "emq:{q}:pending", "a"])
          expect(yield* Effect.flip(enqueue)).toMatchObject({
            _tag: "ServerError",
            message: `EMQWIRE expected ${own} found ${foreign}`
          })
          expectFence(yield* Effect.flip(connector.stopped))
          expectFence(yield* Effect.flip(enqueue))
          expect(yield* node.command("DBSIZE")).toBe(1)
        })
      )
    }
  })

  describe(`${name}: a connector`, () => {
    it.live("that is closed answers what waits, and refuses what comes", () =>
      Effect.gen(function* () {
        const node = yield* start(own)
        const scope = yield* Scope.make()
        const connector = yield* Scope.provide(node.connect(quick), scope)
        const { fiber, seen } = yield* gathered(connector.changes)
        yield* node.pause
        const waiting = yield* Effect.forkScoped(Effect.flip(connector.command(["PING"])))
        yield* sent
        yield* Scope.close(scope, Exit.void)
        expect(yield* Fiber.join(waiting)).toEqual(new Closed())
        expect(yield* Effect.flip(connector.command(["PING"]))).toEqual(new Closed())
        expect(yield* Effect.flip(connector.stopped)).toEqual(new Closed())
        expect(yield* connector.status).toMatchObject({ _tag: "Closed" })
        yield* Fiber.join(fiber)
        expect(seen.map(({ _tag }) => _tag)).toEqual(["Serving", "Closed"])
        yield* node.resume
      })
    )

    it.live("counts what it does", () =>
      Effect.gen(function* () {
        const { connector } = yield* serving()
        yield* connector.command(["PING"])
        yield* Effect.flip(connector.command(["NOPE"]))
        yield* connector.pipeline([["PING"], ["NOPE"]])
        yield* connector.transaction([["PING"], ["PING"]])
        expect(yield* connector.stats).toEqual({
          commands: 6,
          pipelines: 1,
          transactions: 1,
          evalshaCalls: 0,
          scriptLoads: 0,
          replies: 6,
          wireErrors: 2,
          overloads: 0,
          reconnects: 0,
          pending: 0
        })
      })
    )
  })
}

/** A real node as a subject: with `options`, and holding this. */
export const subjectOf = Effect.fnUntraced(function* (
  options: NodeOptions,
  version: string | null,
  connect: (
    address: { readonly host: string; readonly port: number } & Limits
  ) => ReturnType<Subject["connect"]>
): Effect.fn.Return<Subject, NodeError | Config.ConfigError, Scope.Scope> {
  const holding = (version: string | null): NodeOptions => ({
    ...options,
    seed: version === null ? [] : [["SET", VERSION_KEY, version]]
  })
  const node = yield* TestNode.make(holding(version))
  return {
    ...node,
    connect: (limits) => connect({ ...limits, host: node.host, port: node.port }),
    command: node.admin,
    script: () => Effect.void,
    cut: node.admin("CLIENT", "KILL", "TYPE", "NORMAL", "SKIPME", "YES"),
    replace: (version) => node.replace(holding(version))
  }
})
