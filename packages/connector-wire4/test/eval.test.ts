import { type Connector, type Script, ServerError, script } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { ConnectorWire4, type Options } from "../src/index.ts"
import { keys } from "./support/statistics.ts"

type Node = TestNode["Service"]
type Service = Connector["Service"]

const connect = (node: Node, options: Options = {}) =>
  ConnectorWire4.make({ ...options, host: node.host, port: node.port })

const start = Effect.fnUntraced(function* (options: Options = {}, args: ReadonlyArray<string> = []) {
  const node = yield* TestNode.make({ args })
  return { node, connector: yield* connect(node, options) }
})

/** How often scripts were run or loaded, and how: by digest, of these unknown, whole, loaded, refused a load. */
const uses = (node: Node) =>
  Effect.map(node.counts, (counts) => ({
    evalsha: counts.evalsha?.calls ?? 0,
    unknown: counts.evalsha?.failed ?? 0,
    whole: counts.eval?.calls ?? 0,
    loads: counts["script|load"]?.calls ?? 0,
    refused: counts["script|load"]?.rejected ?? 0
  }))

const none = { evalsha: 0, unknown: 0, whole: 0, loads: 0, refused: 0 }

/** A script of its own each time, for a connection and a server that know none of it. */
let made = 0
const fresh = (lua: string): Script => script(`${lua} -- ${++made}`)

const bump = () => fresh("return redis.call('INCRBY', KEYS[1], ARGV[1])")
const read = () => fresh("return redis.call('GET', KEYS[1])")

describe("a script", () => {
  it.live("is called by its digest, loaded where the server does not know it, and then called again", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const add = bump()
      expect(yield* connector.eval(add, ["n"], [2])).toBe(2)
      expect(yield* uses(node)).toEqual({ ...none, evalsha: 2, unknown: 1, loads: 1 })
      expect(yield* connector.eval(add, ["n"], [3])).toBe(5)
      expect(yield* uses(node)).toEqual({ ...none, evalsha: 3, unknown: 1, loads: 1 })
      const { evalshaCalls, scriptLoads } = yield* connector.stats
      expect({ evalshaCalls, scriptLoads }).toEqual({ evalshaCalls: 2, scriptLoads: 1 })
    })
  )

  it.live("that the server knows from elsewhere is not loaded", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const add = bump()
      yield* node.admin("SCRIPT", "LOAD", add.lua)
      expect(yield* connector.eval(add, ["n"], [1])).toBe(1)
      expect(yield* uses(node)).toEqual({ ...none, evalsha: 1 })
    })
  )

  it.live("is loaded once however many call it at once, and each call runs once", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const scripts = [bump(), bump(), bump()]
      const calls = Array.from({ length: 600 }, (_, i) => scripts[i % scripts.length] as Script)
      const replies = yield* Effect.forEach(calls, (add) => connector.eval(add, ["n"], [1]), {
        concurrency: "unbounded"
      })
      expect(replies.map(Number).toSorted((a, b) => a - b)).toEqual(calls.map((_, i) => i + 1))
      expect((yield* uses(node)).loads).toBe(3)
      expect((yield* connector.stats).scriptLoads).toBe(3)
      const before = yield* uses(node)
      yield* Effect.forEach(calls, (add) => connector.eval(add, ["n"], [1]), { concurrency: "unbounded" })
      expect(yield* uses(node)).toEqual({ ...before, evalsha: before.evalsha + 600 })
    })
  )

  it.live("is loaded once for each connection at most", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const others = yield* Effect.forEach([1, 2, 3], () => connect(node))
      const connectors = [connector, ...others]
      const add = bump()
      yield* Effect.forEach(
        Array.from({ length: 200 }, (_, i) => connectors[i % 4] as Service),
        (connector) => connector.eval(add, ["n"], [1]),
        { concurrency: "unbounded" }
      )
      expect(yield* node.admin("GET", "n")).toBe("200")
      const { loads } = yield* uses(node)
      expect(loads).toBeGreaterThanOrEqual(1)
      expect(loads).toBeLessThanOrEqual(4)
      for (const { stats } of connectors) expect((yield* stats).scriptLoads).toBeLessThanOrEqual(1)
    })
  )

  it.live("that was flushed goes whole, which has the server know it again", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const add = bump()
      yield* connector.eval(add, ["n"], [1])
      for (let times = 1; times <= 3; times++) {
        yield* node.admin("SCRIPT", "FLUSH")
        yield* node.admin("CONFIG", "RESETSTAT")
        yield* connector.eval(add, ["n"], [1])
        yield* connector.eval(add, ["n"], [1])
        expect(yield* uses(node)).toEqual({ ...none, evalsha: 2, unknown: 1, whole: 1 })
      }
      expect(yield* node.admin("GET", "n")).toBe("7")
    })
  )

  it.live("has its digest worked out once", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      let reads = 0
      const { lua } = bump()
      const watched: Script = {
        get lua() {
          reads++
          return lua
        }
      }
      yield* connector.eval(watched, ["n"], [1])
      const before = reads
      for (let i = 0; i < 100; i++) yield* connector.eval(watched, ["n"], [1])
      yield* connector.pipeline(new Array(100).fill({ script: watched, keys: ["n"], args: [1] }))
      expect(reads).toBe(before)
      expect(yield* node.admin("GET", "n")).toBe("201")
    })
  )

  it.live("by a user who may not load scripts goes whole at first, and then by its digest", () =>
    Effect.gen(function* () {
      const args = ["--user", "emq", "on", ">secret", "~*", "&*", "+@all", "-script|load"]
      const { connector, node } = yield* start({ username: "emq", password: Redacted.make("secret") }, args)
      const add = bump()
      expect(yield* connector.eval(add, ["n"], [1])).toBe(1)
      expect(yield* uses(node)).toEqual({ ...none, evalsha: 2, unknown: 2, whole: 1, refused: 1 })
      expect(yield* connector.eval(add, ["n"], [1])).toBe(2)
      expect(yield* uses(node)).toEqual({ ...none, evalsha: 3, unknown: 2, whole: 1, refused: 1 })

      const other = bump()
      const call = { script: other, keys: ["n"], args: [1] }
      expect(yield* connector.pipeline([["INCR", "n"], call])).toEqual([3, 4])
      expect(yield* connector.pipeline([call, ["INCR", "n"]])).toEqual([5, 6])
      expect((yield* uses(node)).refused).toBe(2)
    })
  )
})

describe("after a reconnect", () => {
  const reconnected = (connector: Service, times: number) =>
    until("it has reconnected", connector.stats, ({ reconnects }) => reconnects === times)

  it.live("to a server that was started again, scripts are loaded once more", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const add = bump()
      yield* connector.eval(add, ["n"], [1])
      for (let times = 1; times <= 2; times++) {
        yield* node.restart
        yield* reconnected(connector, times)
        yield* Effect.forEach(new Array(50).fill(add), (add) => connector.eval(add, ["n"], [1]), {
          concurrency: "unbounded"
        })
        expect((yield* uses(node)).loads).toBe(1)
        expect((yield* connector.stats).scriptLoads).toBe(1 + times)
      }
      expect(yield* node.admin("GET", "n")).toBe("101")
    })
  )

  it.live("to the same server, a digest that it knows is enough, and a pipeline loads once more", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const add = bump()
      yield* connector.eval(add, ["n"], [1])
      yield* node.admin("CLIENT", "KILL", "TYPE", "NORMAL", "SKIPME", "YES")
      yield* reconnected(connector, 1)
      yield* node.admin("CONFIG", "RESETSTAT")
      yield* connector.eval(add, ["n"], [1])
      expect(yield* uses(node)).toEqual({ ...none, evalsha: 1 })
      const call = { script: add, keys: ["n"], args: [1] }
      yield* connector.pipeline([call, call])
      yield* connector.pipeline([call, call])
      expect(yield* uses(node)).toEqual({ ...none, evalsha: 5, loads: 1 })
    })
  )
})

describe("in a pipeline", () => {
  const steps = (get: Script) =>
    [
      ["SET", "k", "a"],
      { script: get, keys: ["k"], args: [] },
      ["SET", "k", "b"],
      { script: get, keys: ["k"], args: [] },
      ["SET", "k", "c"]
    ] as const

  it.live("scripts not loaded yet are loaded ahead, so that all run in order", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const get = read()
      expect(yield* connector.pipeline(steps(get))).toEqual(["OK", "a", "OK", "b", "OK"])
      expect(yield* uses(node)).toEqual({ ...none, evalsha: 2, loads: 1 })
      expect(yield* connector.pipeline(steps(get))).toEqual(["OK", "a", "OK", "b", "OK"])
      expect(yield* uses(node)).toEqual({ ...none, evalsha: 4, loads: 1 })
      const { evalshaCalls, pipelines, scriptLoads } = yield* connector.stats
      expect({ evalshaCalls, pipelines, scriptLoads }).toEqual({
        evalshaCalls: 4,
        pipelines: 2,
        scriptLoads: 1
      })
    })
  )

  it.live("those that the server has forgotten since run after the others, each reply in its place", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const get = read()
      yield* connector.pipeline(steps(get))
      yield* node.admin("SCRIPT", "FLUSH")
      yield* node.admin("CONFIG", "RESETSTAT")
      expect(yield* connector.pipeline(steps(get))).toEqual(["OK", "c", "OK", "c", "OK"])
      expect(yield* uses(node)).toEqual({ ...none, evalsha: 2, unknown: 2, whole: 2 })
      expect(yield* connector.pipeline(steps(get))).toEqual(["OK", "a", "OK", "b", "OK"])
    })
  )

  it.live("a script runs once also where the server has forgotten it", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const [one, two] = [bump(), bump()]
      const calls = [
        { script: one, keys: ["n"], args: [1] },
        { script: two, keys: ["n"], args: [10] },
        { script: one, keys: ["n"], args: [100] }
      ]
      expect(yield* connector.pipeline(calls)).toEqual([1, 11, 111])
      yield* node.admin("SCRIPT", "FLUSH")
      expect(yield* connector.pipeline(calls)).toEqual([112, 122, 222])
      expect(yield* node.admin("GET", "n")).toBe("222")
    })
  )

  it.live("a script's error is a value in its place", () =>
    Effect.gen(function* () {
      const { connector } = yield* start()
      const fail = fresh("return redis.error_reply('NOPE not today')")
      const call = { script: fail, keys: [], args: [] }
      const error = new ServerError({ code: "NOPE", message: "NOPE not today" })
      expect(yield* connector.pipeline([call, ["PING"], call])).toEqual([error, "PONG", error])
    })
  )

  it.live("one that was refused has loaded nothing", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start({ pendingLimit: 6 })
      const get = read()
      const refusal = yield* Effect.flip(connector.pipeline([...steps(get), ["PING"]]))
      expect(refusal).toMatchObject({ _tag: "Overloaded", limit: 6 })
      const malformed = yield* Effect.flip(connector.pipeline([...steps(get), ["SELECT", 1]]))
      expect(malformed).toMatchObject({ _tag: "CommandRefused", command: "SELECT" })
      expect((yield* connector.stats).scriptLoads).toBe(0)
      expect(yield* uses(node)).toEqual(none)
      expect(yield* connector.pipeline(steps(get))).toEqual(["OK", "a", "OK", "b", "OK"])
      expect(yield* uses(node)).toEqual({ ...none, evalsha: 2, loads: 1 })
    })
  )

  it.live("one that was interrupted before it was sent has loaded nothing", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const get = read()
      yield* Effect.raceFirst(connector.pipeline(steps(get)), Effect.void)
      expect(yield* uses(node)).toEqual(none)
      expect(yield* connector.pipeline(steps(get))).toEqual(["OK", "a", "OK", "b", "OK"])
    })
  )
})

describe("in a transaction", () => {
  it.live("a script goes whole, known or not", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const get = read()
      const steps = [
        ["SET", "k", "a"],
        { script: get, keys: ["k"], args: [] },
        ["SET", "k", "b"],
        { script: get, keys: ["k"], args: [] }
      ] as const
      for (let times = 1; times <= 2; times++) {
        expect(yield* connector.transaction(steps)).toEqual(["OK", "a", "OK", "b"])
        expect(yield* uses(node)).toEqual({ ...none, whole: 2 * times })
        expect((yield* node.executed).exec).toBe(times)
      }
      expect((yield* connector.stats).transactions).toBe(2)
    })
  )

  it.live("a script's error is a value in its place, and the rest is run", () =>
    Effect.gen(function* () {
      const { connector } = yield* start()
      const fail = fresh("redis.call('SET', 'k', 'x') return redis.error_reply('NOPE not today')")
      const replies = yield* connector.transaction([{ script: fail, keys: [], args: [] }, ["GET", "k"]])
      expect(replies).toEqual([new ServerError({ code: "NOPE", message: "NOPE not today" }), "x"])
    })
  )
})

describe("an error of a script is the server's, word for word:", () => {
  const errors: ReadonlyArray<readonly [name: string, lua: string]> = [
    ["of its own making", "return redis.error_reply('MYERR one  two: three')"],
    ["of one word", "return redis.error_reply('MYERR')"],
    ["as a table", "return { err = 'MYERR - a: b' }"],
    ["thrown", "error('on purpose')"],
    ["of a command", "redis.call('SET', KEYS[1], 'x') return redis.call('LPUSH', KEYS[1], 'y')"],
    ["of a command that does not exist", "return redis.call('NOSUCH')"],
    ["of the wrong arity", "return redis.call('GET')"],
    ["of Lua", "return nil + 1"],
    ["of the compiler", "return ("],
    ["that begins as others do", "return redis.error_reply('ERR An error was signalled by the server: - x')"]
  ]

  it.live.each(errors)("%s", ([, lua]) =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const failing = fresh(lua)
      const { message } = yield* Effect.flip(node.admin("EVAL", failing.lua, 1, "k"))
      yield* node.admin("SCRIPT", "FLUSH")
      for (let times = 1; times <= 3; times++) {
        const error = yield* Effect.flip(connector.eval(failing, ["k"], []))
        expect(error).toEqual(ServerError.of(message))
      }
      const [inPipeline] = yield* connector.pipeline([{ script: failing, keys: ["k"], args: [] }])
      expect(inPipeline).toEqual(ServerError.of(message))
    })
  )

  it.live("one that is no script's, but says NOSCRIPT, does not run it again", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const failing = fresh("redis.call('INCR', KEYS[1]) return redis.error_reply('NOSCRIPT in here')")
      const error = yield* Effect.flip(connector.eval(failing, ["n"], []))
      expect(error).toEqual(ServerError.of("NOSCRIPT in here"))
      expect(yield* node.admin("GET", "n")).toBe("1")
      const replies = yield* connector.pipeline([{ script: failing, keys: ["n"], args: [] }])
      expect(replies).toEqual([error])
      expect(yield* node.admin("GET", "n")).toBe("2")
    })
  )

  it.live("inside a reply it is a value", () =>
    Effect.gen(function* () {
      const { connector } = yield* start()
      const mixed = fresh("return { 1, redis.error_reply('MYERR x y'), 'z' }")
      expect(yield* connector.eval(mixed, [], [])).toEqual([1, ServerError.of("MYERR x y"), "z"])
    })
  )
})

describe("what goes in and comes out", () => {
  const everyByte = Uint8Array.from({ length: 256 }, (_, i) => i)

  it.live("is any bytes", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const echo = fresh("redis.call('SET', KEYS[1], ARGV[1]) return { KEYS[1], ARGV[1], #ARGV[1], ARGV[2] }")
      const key = Buffer.concat([Buffer.from("key"), everyByte]).subarray(2)
      const [k, v, length, empty] = (yield* connector.eval(echo, [key], [everyByte, ""])) as [
        Uint8Array,
        Uint8Array,
        number,
        string
      ]
      expect(Buffer.compare(k, key)).toBe(0)
      expect(Buffer.compare(v, everyByte)).toBe(0)
      expect(length).toBe(256)
      expect(empty).toBe("")
      expect(yield* node.adminBuffer("GET", key)).toEqual(Buffer.from(everyByte))
      expect(yield* keys(node)).toHaveLength(2)
    })
  )

  it.live("is text and whole numbers, and bytes on request", () =>
    Effect.gen(function* () {
      const { connector } = yield* start()
      const echo = fresh("return { KEYS[1], ARGV[1], tonumber(ARGV[1]), false, {} }")
      expect(yield* connector.eval(echo, ["schlüssel"], [-7])).toEqual(["schlüssel", "-7", -7, null, []])
      expect(yield* connector.eval(echo, ["k"], [1], { bytes: true })).toEqual([
        Buffer.from("k"),
        Buffer.from("1"),
        1,
        null,
        []
      ])
      const call = { script: echo, keys: ["k"], args: [1] }
      expect(yield* connector.pipeline([call, ["ECHO", "x"]], { bytes: true })).toEqual([
        [Buffer.from("k"), Buffer.from("1"), 1, null, []],
        Buffer.from("x")
      ])
    })
  )

  it.live("is refused where it has no exact form, and nothing is sent", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const error = yield* Effect.flip(connector.eval(read(), ["k"], [2 ** 53]))
      expect(error).toMatchObject({ _tag: "CommandRefused" })
      expect(yield* uses(node)).toEqual(none)
    })
  )
})
