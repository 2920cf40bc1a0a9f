import { type Command, type Connector, InexactInteger, type Reply, ServerError } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { almostValkey } from "@echomq/test-node/rawServer"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ConnectorWire4 } from "../src/index.ts"

type Node = TestNode["Service"]

/** A map, as it is replied: a record without a prototype. */
const record = (fields: Record<string, unknown>): unknown => Object.assign(Object.create(null), fields)

interface Row {
  readonly command: Command
  /** Of what is in text. */
  readonly reply: unknown
  /** Of what is in bytes, where it is not the same with every string as bytes and every map as pairs. */
  readonly bytes?: unknown
}

interface Rows {
  readonly name: string
  readonly given: ReadonlyArray<Command>
  readonly rows: ReadonlyArray<Row>
}

const row = (command: Command, reply: unknown): Row => ({ command, reply })

const latin1 = Buffer.from([0x65, 0xff])

const eval_ = (script: string): Command => ["EVAL", script, 0]

const strings: Rows = {
  name: "strings",
  given: [
    ["SET", "a", "1"],
    ["SET", "latin1", latin1],
    ["SET", "text", "é😀"]
  ],
  rows: [
    row(["GET", "a"], "1"),
    row(["get", "text"], "é😀"),
    row(["GET", "none"], null),
    row(["GET", "latin1"], latin1),
    row(["SET", "b", "1"], "OK"),
    row(["SET", "a", "2", "NX"], null),
    row(["SET", "a", "2", "GET"], "1"),
    row(["SETNX", "a", "2"], 0),
    row(["GETDEL", "a"], "1"),
    row(["GETEX", "a"], "1"),
    row(["MGET", "a", "none", "latin1"], ["1", null, latin1]),
    row(["MSET", "a", "1", "b", "2"], "OK"),
    row(["MSETNX", "a", "1"], 0),
    row(["INCR", "a"], 2),
    row(["DECRBY", "a", 3], -2),
    row(["INCRBY", "a", Number.MAX_SAFE_INTEGER - 1], Number.MAX_SAFE_INTEGER),
    row(["INCRBYFLOAT", "a", "0.5"], 1.5),
    row(["APPEND", "a", "x"], 2),
    row(["STRLEN", "none"], 0)
  ]
}

const keys: Rows = {
  name: "keys",
  given: [["SET", "a", "1"]],
  rows: [
    row(["EXISTS", "a", "none"], 1),
    row(["EXPIRE", "a", 100], 1),
    row(["EXPIRE", "none", 100], 0),
    row(["PEXPIRE", "a", 100_000, "XX"], 0),
    row(["PERSIST", "a"], 0),
    row(["TTL", "a"], -1),
    row(["PTTL", "none"], -2),
    row(["EXPIRETIME", "a"], -1),
    row(["TYPE", "a"], "string"),
    row(["TYPE", "none"], "none"),
    row(["DEL", "a", "none"], 1),
    row(["UNLINK", "a"], 1),
    row(["COPY", "a", "b"], 1),
    row(["RENAME", "a", "b"], "OK"),
    row(["RENAMENX", "a", "b"], 1),
    row(["MOVE", "none", 1], 0),
    row(["KEYS", "*"], ["a"]),
    row(["SCAN", 0, "COUNT", 100], ["0", ["a"]]),
    row(["OBJECT", "ENCODING", "a"], "int"),
    row(["OBJECT", "REFCOUNT", "none"], null),
    row(["OBJECT", "IDLETIME", "none"], null),
    row(["SORT", "none"], []),
    row(["DBSIZE"], 1)
  ]
}

const hashes: Rows = {
  name: "hashes",
  given: [
    ["HSET", "h", "a", "1", "b", "2", "c", ""],
    ["HSET", "proto", "__proto__", "1", "constructor", "2", "toString", "3"],
    ["HSET", "latin1", "a", latin1],
    ["HSET", "field", latin1, "1"],
    ["HSET", "one", "a", "1"]
  ],
  rows: [
    row(["HGETALL", "h"], record({ a: "1", b: "2", c: "" })),
    row(["hgetall", "h"], record({ a: "1", b: "2", c: "" })),
    row(["HGETALL", "none"], record({})),
    row(["HGETALL", "proto"], record({ ["__proto__"]: "1", constructor: "2", toString: "3" })),
    row(["HGETALL", "latin1"], record({ a: latin1 })),
    row(["HGETALL", "field"], [[latin1, "1"]]),
    row(["HGET", "h", "a"], "1"),
    row(["HGET", "h", "none"], null),
    row(["HMGET", "h", "a", "none"], ["1", null]),
    row(["HSET", "h", "a", "2", "d", "3"], 1),
    row(["HSETNX", "h", "a", "2"], 0),
    row(["HMSET", "h", "a", "2"], "OK"),
    row(["HINCRBY", "h", "a", 1], 2),
    row(["HINCRBYFLOAT", "h", "a", "0.5"], 1.5),
    row(["HEXISTS", "h", "a"], 1),
    row(["HEXISTS", "h", "none"], 0),
    row(["HDEL", "h", "a", "none"], 1),
    row(["HLEN", "h"], 3),
    row(["HKEYS", "h"], ["a", "b", "c"]),
    row(["HVALS", "h"], ["1", "2", ""]),
    row(["HSCAN", "one", 0], ["0", ["a", "1"]]),
    row(["HRANDFIELD", "one", 1], ["a"]),
    row(
      ["HRANDFIELD", "one", -2, "WITHVALUES"],
      [
        ["a", "1"],
        ["a", "1"]
      ]
    ),
    row(["HRANDFIELD", "none", 1, "WITHVALUES"], [])
  ]
}

const sets: Rows = {
  name: "sets",
  given: [
    ["SADD", "s", "a"],
    ["SADD", "latin1", latin1],
    ["SADD", "numbers", "2", "1"]
  ],
  rows: [
    row(["SADD", "s", "a", "b"], 1),
    row(["SREM", "s", "a"], 1),
    row(["SMEMBERS", "s"], ["a"]),
    row(["SMEMBERS", "none"], []),
    row(["SMEMBERS", "latin1"], [latin1]),
    row(["SMEMBERS", "numbers"], ["1", "2"]),
    row(["SISMEMBER", "s", "a"], 1),
    row(["SISMEMBER", "s", "none"], 0),
    row(["SMISMEMBER", "s", "a", "none"], [1, 0]),
    row(["SCARD", "s"], 1),
    row(["SMOVE", "s", "t", "a"], 1),
    row(["SPOP", "s"], "a"),
    row(["SPOP", "none"], null),
    row(["SPOP", "s", 5], ["a"]),
    row(["SRANDMEMBER", "s"], "a"),
    row(["SRANDMEMBER", "s", 5], ["a"]),
    row(["SUNION", "s", "none"], ["a"]),
    row(["SINTER", "s", "none"], []),
    row(["SDIFF", "s", "none"], ["a"]),
    row(["SSCAN", "s", 0], ["0", ["a"]])
  ]
}

const scores = [
  ["10", 1],
  ["9", 2.5],
  ["a", Number.POSITIVE_INFINITY]
]

const sortedSets: Rows = {
  name: "sorted sets, whose order stays, also of members that look like numbers",
  given: [
    ["ZADD", "z", 1, "10", "2.5", "9", "inf", "a"],
    ["ZADD", "low", "-inf", "a"],
    ["ZADD", "large", "9007199254740993", "a", "1.7976931348623157e308", "b"],
    ["ZADD", "latin1", 1, latin1]
  ],
  rows: [
    row(["ZADD", "z", 5, "b"], 1),
    row(["ZADD", "z", "CH", 5, "10"], 1),
    row(["ZADD", "z", "INCR", 5, "10"], 6),
    row(["ZADD", "z", "NX", "INCR", 5, "10"], null),
    row(["ZINCRBY", "z", "0.5", "10"], 1.5),
    row(["ZSCORE", "z", "9"], 2.5),
    row(["ZSCORE", "z", "a"], Number.POSITIVE_INFINITY),
    row(["ZSCORE", "low", "a"], Number.NEGATIVE_INFINITY),
    row(["ZSCORE", "large", "a"], 9007199254740992),
    row(["ZSCORE", "z", "none"], null),
    row(["ZMSCORE", "z", "9", "none"], [2.5, null]),
    row(["ZCARD", "z"], 3),
    row(["ZCOUNT", "z", "-inf", "+inf"], 3),
    row(["ZRANK", "z", "9"], 1),
    row(["ZRANK", "z", "none"], null),
    row(["ZRANK", "z", "9", "WITHSCORE"], [1, 2.5]),
    row(["ZREM", "z", "9"], 1),
    row(["ZREMRANGEBYSCORE", "z", 0, 2], 1),
    row(["ZRANGE", "z", 0, -1], ["10", "9", "a"]),
    row(["ZRANGE", "z", 0, -1, "WITHSCORES"], scores),
    row(["zrange", "z", 0, -1, "withscores"], scores),
    row(["ZRANGE", "z", "-inf", "+inf", "BYSCORE", "LIMIT", 0, 1, "WITHSCORES"], [["10", 1]]),
    row(["ZRANGE", "none", 0, -1, "WITHSCORES"], []),
    row(["ZRANGE", "latin1", 0, -1, "WITHSCORES"], [[latin1, 1]]),
    row(["ZRANGEBYSCORE", "z", "-inf", "+inf"], ["10", "9", "a"]),
    row(["ZRANGEBYSCORE", "z", "-inf", "+inf", "WITHSCORES"], scores),
    row(["zrangebyscore", "z", "-inf", "+inf", "limit", 0, 1, "withscores"], [["10", 1]]),
    row(["ZRANGEBYSCORE", "low", "-inf", "+inf", "WITHSCORES"], [["a", Number.NEGATIVE_INFINITY]]),
    row(
      ["ZRANGEBYSCORE", "large", "-inf", "+inf", "WITHSCORES"],
      [
        ["a", 9007199254740992],
        ["b", Number.MAX_VALUE]
      ]
    ),
    row(["ZRANGEBYSCORE", "latin1", "-inf", "+inf", "WITHSCORES"], [[latin1, 1]]),
    row(["ZRANGEBYSCORE", "none", "-inf", "+inf", "WITHSCORES"], []),
    row(["ZREVRANGEBYSCORE", "z", "+inf", "-inf", "WITHSCORES"], scores.toReversed()),
    row(["ZREVRANGE", "z", 0, -1], ["a", "9", "10"]),
    row(["ZREVRANGE", "z", 0, -1, "WITHSCORES"], scores.toReversed()),
    row(["ZRANGEBYLEX", "z", "-", "+"], ["10", "9", "a"]),
    row(["ZPOPMIN", "z"], [["10", 1]]),
    row(
      ["ZPOPMIN", "z", 2],
      [
        ["10", 1],
        ["9", 2.5]
      ]
    ),
    row(["ZPOPMAX", "z"], [["a", Number.POSITIVE_INFINITY]]),
    row(["ZPOPMIN", "none"], []),
    row(
      ["ZMPOP", 2, "none", "z", "MIN", "COUNT", 2],
      [
        "z",
        [
          ["10", 1],
          ["9", 2.5]
        ]
      ]
    ),
    row(["ZMPOP", 1, "none", "MIN"], null),
    row(["ZUNION", 2, "z", "none", "WITHSCORES"], scores),
    row(["ZINTER", 1, "z", "WITHSCORES"], scores),
    row(["ZDIFF", 1, "z", "WITHSCORES"], scores),
    row(["ZRANDMEMBER", "low", 1, "WITHSCORES"], [["a", Number.NEGATIVE_INFINITY]]),
    row(["ZSCAN", "low", 0], ["0", ["a", "-inf"]])
  ]
}

const lists: Rows = {
  name: "lists",
  given: [
    ["RPUSH", "l", "a", "b", latin1],
    ["RPUSH", Buffer.from([0xfe]), "a"]
  ],
  rows: [
    row(["LPUSH", "l", "x"], 4),
    row(["RPUSHX", "none", "x"], 0),
    row(["LRANGE", "l", 0, -1], ["a", "b", latin1]),
    row(["LRANGE", "none", 0, -1], []),
    row(["LPOP", "l"], "a"),
    row(["LPOP", "none"], null),
    row(["LPOP", "l", 2], ["a", "b"]),
    row(["LPOP", "none", 2], null),
    row(["RPOP", "l"], latin1),
    row(["LLEN", "l"], 3),
    row(["LINDEX", "l", 1], "b"),
    row(["LPOS", "l", "b"], 1),
    row(["LPOS", "l", "none"], null),
    row(["LPOS", "l", "b", "COUNT", 0], [1]),
    row(["LREM", "l", 0, "a"], 1),
    row(["LSET", "l", 0, "x"], "OK"),
    row(["LTRIM", "l", 0, 0], "OK"),
    row(["LINSERT", "l", "BEFORE", "none", "x"], -1),
    row(["LMOVE", "l", "m", "LEFT", "RIGHT"], "a"),
    row(["RPOPLPUSH", "none", "m"], null),
    row(["LMPOP", 2, "none", "l", "LEFT"], ["l", ["a"]]),
    row(["LMPOP", 1, "l", "LEFT", "COUNT", 9], ["l", ["a", "b", latin1]]),
    row(["LMPOP", 1, Buffer.from([0xfe]), "LEFT"], [Buffer.from([0xfe]), ["a"]]),
    row(["LMPOP", 1, "none", "LEFT"], null)
  ]
}

const first = [
  "1-1",
  [
    ["f", "1"],
    ["f", "2"],
    ["10", "3"],
    ["9", "4"]
  ]
]
const second = ["1-2", [["g", latin1]]]

const streams: Rows = {
  name: "streams, whose fields stay in order, also those of the same name",
  given: [
    ["XADD", "x", "1-1", "f", "1", "f", "2", "10", "3", "9", "4"],
    ["XADD", "x", "1-2", "g", latin1],
    ["XADD", "gone", "1-1", "f", "1"],
    ["XGROUP", "CREATE", "x", "g", "0"],
    ["XGROUP", "CREATE", "gone", "g", "0"],
    ["XREADGROUP", "GROUP", "g", "c", "COUNT", 1, "STREAMS", "x", ">"],
    ["XREADGROUP", "GROUP", "g", "c", "COUNT", 1, "STREAMS", "gone", ">"],
    ["XDEL", "gone", "1-1"]
  ],
  rows: [
    row(["XADD", "x", "2-1", "a", "1"], "2-1"),
    row(["XADD", "none", "NOMKSTREAM", "2-1", "a", "1"], null),
    row(["XLEN", "x"], 2),
    row(["XRANGE", "x", "-", "+"], [first, second]),
    row(["XREVRANGE", "x", "+", "-"], [second, first]),
    row(["XRANGE", "none", "-", "+"], []),
    row(["XREAD", "STREAMS", "x", "0"], [["x", [first, second]]]),
    row(["XREAD", "COUNT", 1, "STREAMS", "none", "x", 0, 0], [["x", [first]]]),
    row(["XREAD", "STREAMS", "x", "9-9"], null),
    row(["XREADGROUP", "GROUP", "g", "c", "STREAMS", "x", ">"], [["x", [second]]]),
    row(["XREADGROUP", "GROUP", "g", "c", "STREAMS", "x", "0"], [["x", [first]]]),
    row(["XREADGROUP", "GROUP", "g", "new", "STREAMS", "x", "0"], [["x", []]]),
    row(["XREADGROUP", "GROUP", "g", "c", "STREAMS", "gone", "0"], [["gone", [["1-1", null]]]]),
    row(["XACK", "x", "g", "1-1"], 1),
    row(["XCLAIM", "x", "g", "d", 0, "1-1"], [first]),
    row(["XCLAIM", "x", "g", "d", 0, "1-1", "JUSTID"], ["1-1"]),
    row(["XCLAIM", "x", "g", "d", 0, "9-9"], []),
    row(["XAUTOCLAIM", "x", "g", "d", 0, "0"], ["0-0", [first], []]),
    row(["XAUTOCLAIM", "x", "g", "d", 0, "0", "JUSTID"], ["0-0", ["1-1"], []]),
    row(["XAUTOCLAIM", "gone", "g", "d", 0, "0"], ["0-0", [], ["1-1"]]),
    row(["XPENDING", "x", "g"], [1, "1-1", "1-1", [["c", "1"]]]),
    row(["XGROUP", "CREATECONSUMER", "x", "g", "d"], 1),
    row(["XGROUP", "DESTROY", "x", "none"], 0),
    row(["XTRIM", "x", "MAXLEN", 0], 2),
    row(["XDEL", "x", "1-1", "9-9"], 1)
  ]
}

const scripts: Rows = {
  name: "scripts, whose replies come as they were made",
  given: [["HSET", "h", "a", "1"]],
  rows: [
    row(eval_("return 1"), 1),
    row(eval_("return 3.9"), 3),
    row(eval_("return '3.9'"), "3.9"),
    row(eval_("return true"), 1),
    row(eval_("return false"), null),
    row(eval_("return {}"), []),
    row(eval_("return {1, 'a', {2, {'b', false}}, true, false}"), [1, "a", [2, ["b", null]], 1, null]),
    row(eval_("return {'a', 1, nil, 2}"), ["a", 1]),
    row(eval_("return redis.status_reply('FINE')"), "FINE"),
    row(eval_("return redis.call('HGETALL', 'h')"), ["a", "1"]),
    row(eval_("return 'e\\255'"), latin1),
    row(eval_("return {'e\\255', {'e\\255'}}"), [latin1, [latin1]]),
    row(eval_("return {9007199254740991, -9007199254740991}"), [9007199254740991, -9007199254740991]),
    row(eval_("return {redis.error_reply('MY error'), {redis.error_reply('ERR inner')}, 1}"), [
      ServerError.of("MY error"),
      [ServerError.of("ERR inner")],
      1
    ]),
    row(eval_("return {9007199254740993}"), [
      new InexactInteger({ command: "EVAL", near: 9007199254740992 })
    ]),
    row(["SCRIPT", "LOAD", "return 1"], "e0e1f9fabfc9d4800c877a703b823ac0578ff8db")
  ]
}

const servers: Rows = {
  name: "the server",
  given: [],
  rows: [
    row(["PING"], "PONG"),
    row(["PING", latin1], latin1),
    row(["ECHO", "a"], "a"),
    row(["CONFIG", "GET", "maxmemory"], record({ maxmemory: "0" })),
    row(["config", "get", "none"], record({})),
    row(["CONFIG", "SET", "maxmemory", "0"], "OK"),
    row(["CLIENT", "GETNAME"], null),
    row(["PUBLISH", "c", "m"], 0),
    row(["PUBSUB", "CHANNELS"], []),
    row(["PUBSUB", "NUMSUB", "c"], record({ c: 0 })),
    row(["PUBSUB", "NUMSUB"], record({})),
    row(["PUBSUB", "NUMPAT"], 0),
    row(["GEOADD", "g", "13.361389", "38.115556", "p", "15.087269", "37.502669", "q"], 2),
    row(["BITFIELD", "none", "GET", "u8", 0], [0]),
    row(["PFADD", "p", "a"], 1)
  ]
}

/** The same reply in bytes. */
const inBytes = (reply: unknown): unknown => {
  if (typeof reply === "string") return Buffer.from(reply)
  if (Array.isArray(reply)) return reply.map(inBytes)
  return reply !== null && typeof reply === "object" && Object.getPrototypeOf(reply) === null
    ? Object.entries(reply).map(([key, value]) => [Buffer.from(key), inBytes(value)])
    : reply
}

const prepared = Effect.fnUntraced(function* (node: Node, given: ReadonlyArray<Command>) {
  yield* node.admin("FLUSHALL")
  for (const command of given) yield* node.admin(...command)
})

const alone = (connector: Connector["Service"], command: Command, bytes: boolean) =>
  Effect.map(connector.command(command, { bytes }), (reply): ReadonlyArray<Reply> => [reply])

describe("a reply has one form, by itself, in a pipeline and in a transaction, in text and in bytes", () => {
  for (const { given, name, rows } of [
    strings,
    keys,
    hashes,
    sets,
    sortedSets,
    lists,
    streams,
    scripts,
    servers
  ]) {
    it.live(name, () =>
      Effect.gen(function* () {
        const node = yield* TestNode.make()
        const connector = yield* ConnectorWire4.make({ host: node.host, port: node.port })
        const ping: Command = ["ECHO", "beside"]
        for (const { command, reply } of rows) {
          for (const [bytes, expected] of [
            [false, reply],
            [true, inBytes(reply)]
          ] as const) {
            const beside = bytes ? Buffer.from("beside") : "beside"
            const at = command.join(" ")
            yield* prepared(node, given)
            expect(yield* alone(connector, command, bytes), at).toStrictEqual([expected])
            yield* prepared(node, given)
            expect(yield* connector.pipeline([ping, command], { bytes }), at).toStrictEqual([
              beside,
              expected
            ])
            yield* prepared(node, given)
            expect(yield* connector.transaction([command, ping], { bytes }), at).toStrictEqual([
              expected,
              beside
            ])
            yield* prepared(node, given)
            expect(yield* connector.pipeline([command], { bytes }), at).toStrictEqual([expected])
          }
        }
      })
    )
  }

  it.live("what changes from run to run has its shape", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { command } = yield* ConnectorWire4.make({ host: node.host, port: node.port })
      const digits = expect.stringMatching(/^\d+$/)
      expect(yield* command(["TIME"])).toEqual([digits, digits])
      expect(yield* command(["CLIENT", "ID"])).toBeTypeOf("number")
      expect(yield* command(["INFO", "server"])).toContain("valkey_version:")
      expect(yield* command(["XADD", "x", "*", "f", "1"])).toMatch(/^\d+-\d+$/)
      yield* command(["XGROUP", "CREATE", "x", "g", "$"])
      const stream = yield* command(["XINFO", "STREAM", "x"])
      expect(stream).toMatchObject({ length: 1, groups: 1, "first-entry": [expect.any(String), ["f", "1"]] })
      expect(yield* command(["XINFO", "GROUPS", "x"])).toEqual([
        record({
          name: "g",
          consumers: 0,
          pending: 0,
          "last-delivered-id": expect.any(String),
          "entries-read": null,
          lag: 0
        })
      ])
      expect(yield* command(["XINFO", "CONSUMERS", "x", "g"])).toEqual([])
    })
  )
})

describe("an integer beyond 2^53", () => {
  it.live("fails a command, and is a value in a pipeline and a transaction", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* ConnectorWire4.make({ host: node.host, port: node.port })
      yield* node.admin("SET", "n", String(2 ** 53))
      const increment: Command = ["INCRBY", "n", 1]
      const inexact = { _tag: "InexactInteger", command: "INCRBY" }
      expect(yield* Effect.flip(connector.command(increment))).toMatchObject(inexact)
      expect((yield* connector.pipeline([increment]))[0]).toMatchObject(inexact)
      expect(yield* connector.transaction([increment, ["GET", "n"]])).toMatchObject([
        inexact,
        "9007199254740995"
      ])
      expect(yield* node.admin("GET", "n")).toBe("9007199254740995")
    })
  )

  it.live("is exact up to there", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { command } = yield* ConnectorWire4.make({ host: node.host, port: node.port })
      expect(yield* command(["INCRBY", "n", Number.MAX_SAFE_INTEGER])).toBe(Number.MAX_SAFE_INTEGER)
      expect(yield* command(["INCRBY", "m", Number.MIN_SAFE_INTEGER])).toBe(Number.MIN_SAFE_INTEGER)
    })
  )
})

describe("a reply that is not UTF-8", () => {
  it.live("comes as bytes, wherever it stands, and the process lives", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { command, pipeline } = yield* ConnectorWire4.make({ host: node.host, port: node.port })
      const broken = [
        [0x80],
        [0xc3],
        [0xff, 0xfe],
        [0xed, 0xa0, 0x80],
        [0xf4, 0x90, 0x80, 0x80],
        [0x61, 0xc0, 0x80]
      ]
      for (const bytes of broken.map((list) => Uint8Array.from(list))) {
        yield* command(["SET", "key", bytes])
        const reply = yield* command(["GET", "key"])
        expect(reply).toBeInstanceOf(Uint8Array)
        expect(Uint8Array.from(reply as Uint8Array)).toEqual(bytes)
        expect(
          yield* pipeline([
            ["GET", "key"],
            ["ECHO", "text"]
          ])
        ).toEqual([Buffer.from(bytes), "text"])
      }
    })
  )

  it.live("costs the connection where it is an error, since the driver cannot read on, and no more", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* ConnectorWire4.make({ host: node.host, port: node.port })
      const script = "return redis.error_reply('ERR ' .. ARGV[1])"
      const calls: ReadonlyArray<Command> = [["EVAL", script, 0, latin1], [latin1]]
      for (const [i, call] of calls.entries()) {
        expect(yield* Effect.flip(connector.command(call))).toMatchObject({
          _tag: "Disconnected",
          outcome: "unknown"
        })
        yield* until("it serves again", connector.stats, ({ reconnects }) => reconnects === i + 1)
        expect(yield* connector.command(["PING"])).toBe("PONG")
      }
    })
  )
})

/** Of replies, on the wire, that no Valkey gives in RESP2. */
const odd: ReadonlyArray<readonly [onTheWire: string, reply: unknown]> = [
  ["+", ""],
  ["$0\r\n", ""],
  ["*-1", null],
  ["_", null],
  ["#t", 1],
  ["#f", 0],
  [",3.5", 3.5],
  ["(123456789012345678901234567890", 123456789012345678901234567890n],
  ["%1\r\n+a\r\n:1", record({ a: 1 })],
  ["%1\r\n:1\r\n:2", [[1, 2]]],
  ["%0", []],
  ["~1\r\n+a", ["a"]],
  ["=7\r\ntxt:abc", "abc"],
  ["-", ServerError.of("")],
  ["-ERR", ServerError.of("ERR")],
  ["-ERR: colon", ServerError.of("ERR: colon")],
  ["!8\r\nERR bulk", ServerError.of("ERR bulk")],
  ["*2\r\n-ERR in\r\n:1", [ServerError.of("ERR in"), 1]]
]

const nonsense = [":abc", "$5\r\nabcdefg", "@what", "*1\r\n@what"]

describe("a server of another kind", () => {
  for (const [onTheWire, reply] of odd) {
    it.live(`may reply ${JSON.stringify(onTheWire)}`, () =>
      Effect.gen(function* () {
        const { host, port } = yield* almostValkey((name) => (name === "ODD" ? onTheWire : undefined))
        const { pipeline } = yield* ConnectorWire4.make({ host, port })
        expect(yield* pipeline([["ODD"], ["NEXT"]])).toStrictEqual([reply, "OK"])
      })
    )
  }

  for (const onTheWire of nonsense) {
    it.live(`loses its connection, and no more, by ${JSON.stringify(onTheWire)}`, () =>
      Effect.gen(function* () {
        const { host, port } = yield* almostValkey((name) => (name === "ODD" ? onTheWire : undefined))
        const { command } = yield* ConnectorWire4.make({
          host,
          port,
          commandTimeout: 500,
          linkTimeout: 1_000
        })
        const error = yield* Effect.flip(command(["ODD"]))
        expect(error).toMatchObject({ outcome: "unknown" })
        expect(["Disconnected", "CommandTimeout"]).toContain(error._tag)
      })
    )
  }
})
