import { type Command, type Connector, type Reply, ServerError } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { ConnectorWire4 } from "../src/index.ts"
import { restore } from "../src/link/glide/ErrorText.ts"

type Node = TestNode["Service"]

const connect = (node: Node) => ConnectorWire4.make({ host: node.host, port: node.port })

/** What the server says, by a client that leaves it as it is. */
const said = (node: Node, command: Command) =>
  Effect.map(Effect.flip(node.admin(...command)), ({ message }) => message)

const whole = (line: string) => {
  const [code = ""] = line.split(" ")
  return { _tag: "ServerError", code, message: line }
}

/** The error that a command gets: by itself, in a pipeline, and in a transaction, where one that the server refuses to queue fails the whole. */
const answers = (connector: Connector["Service"], command: Command) => {
  const first = (replies: ReadonlyArray<Reply>) => replies[0] ?? null
  const next: Command = ["ECHO", "next"]
  return [
    Effect.flip(connector.command(command)),
    Effect.flip(connector.command(command, { bytes: true })),
    Effect.map(connector.pipeline([command, next]), first),
    Effect.map(connector.pipeline([command, next], { bytes: true }), first),
    Effect.catch(Effect.map(connector.transaction([command, next]), first), Effect.succeed)
  ]
}

const expectSame = Effect.fnUntraced(function* (
  node: Node,
  connector: Connector["Service"],
  command: Command
) {
  const line = yield* said(node, command)
  for (const answer of answers(connector, command)) {
    const error = yield* answer
    expect(error, line).toBeInstanceOf(ServerError)
    expect(error, line).toMatchObject(whole(line))
  }
  return line
})

const commands: ReadonlyArray<Command> = [
  ["LPUSH", "string", "a"],
  ["NOSUCH"],
  ["NOSUCH", "a", "b"],
  ["NOSUCH", "a: b", "c - d"],
  ["GET"],
  ["SET", "string", "b", "NONSENSE"],
  ["SET", "string", "b", "EX", "0"],
  ["INCR", "string"],
  ["EXPIRE", "string", "soon"],
  ["SETRANGE", "string", "999999999999", "x"],
  ["LSET", "none", "0", "a"],
  ["RENAME", "none", "other"],
  ["ZADD", "none", "nan", "a"],
  ["OBJECT", "NONSENSE"],
  ["CONFIG", "SET", "nonsense", "1"],
  ["CLUSTER", "INFO"],
  ["RESTORE", "none", "0", "nonsense"],
  ["RESTORE", "string", "0", "nonsense"],
  ["XADD", "stream", "1-1", "a", "1"],
  ["XGROUP", "CREATE", "stream", "g", "0"],
  ["XGROUP", "CREATE", "none", "g", "0"],
  ["XREADGROUP", "GROUP", "nobody", "c", "STREAMS", "stream", ">"],
  ["EVALSHA", "f".repeat(40), "0"],
  ["EVAL", "nonsense here", "0"],
  ["EVAL", "error('boom')", "0"],
  ["EVAL", "error({err = 'MYCODE boom'})", "0"],
  ["EVAL", "return redis.call('NOSUCH')", "0"],
  ["EVAL", "return redis.call('LPUSH', 'string', 'a')", "0"],
  ["EVAL", "return redis.pcall('LPUSH', 'string', 'a')", "0"],
  ["FCALL", "nonsense", "0"],
  ["SCRIPT", "KILL"],
  ["FAILOVER", "ABORT"]
]

/** Lines that a script may reply. */
const lines: ReadonlyArray<string> = [
  "MYERR",
  "MYERR some detail",
  "MYERR  two spaces",
  "MYERR a space at the end ",
  "MYERR a: b: c",
  "MYERR: a colon after the code",
  "MY:ERR a colon within the code",
  "ERR: a colon after the code",
  "ERR some detail",
  "ERR a: b",
  "ERR  two spaces",
  "MYERR - with a dash",
  "MY-ERR with a dash",
  "lower case",
  "lower: case",
  "two words",
  " a space at the start",
  "MYERR é😀",
  "MYERR a\ttab",
  "ResponseError looks like the driver's",
  "ERR An error was signalled by the server: - ResponseError: x",
  "ERR timed out",
  "ERR connection closed",
  "IOERR Timeout",
  // The codes of which the driver has names of its own.
  "NOSCRIPT No matching script.",
  "NOSCRIPT of another text",
  "LOADING some detail",
  "BUSY some detail",
  "TRYAGAIN some detail",
  "MASTERDOWN some detail",
  "CLUSTERDOWN some detail",
  "CROSSSLOT some detail",
  "EXECABORT some detail",
  "NOTBUSY some detail",
  "NOPERM some detail",
  "MOVED 1 127.0.0.1:1",
  "ASK 1 127.0.0.1:1",
  // Others of the server's.
  "MISCONF some detail",
  "NOREPLICAS some detail",
  "OOM some detail",
  "NOAUTH some detail",
  "WRONGPASS some detail",
  "UNKILLABLE some detail",
  "BUSYKEY some detail",
  "EMQWIRE expected echomq:6.0.0 but {emq}:version is absent"
]

describe("an error of the server comes word for word, with its code", () => {
  it.live("from commands", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({
        seed: [
          ["SET", "string", "a"],
          ["XADD", "stream", "1-1", "a", "1"],
          ["XGROUP", "CREATE", "stream", "g", "0"]
        ]
      })
      const connector = yield* connect(node)
      const seen = new Set<string>()
      for (const command of commands) {
        const line = yield* expectSame(node, connector, command)
        seen.add(line.slice(0, line.indexOf(" ")))
      }
      expect([...seen].toSorted()).toEqual([
        "BUSYGROUP",
        "BUSYKEY",
        "ERR",
        "MYCODE",
        "NOGROUP",
        "NOSCRIPT",
        "NOTBUSY",
        "WRONGTYPE"
      ])
      expect((yield* connector.stats).reconnects).toBe(0)
    })
  )

  for (const line of lines) {
    it.live(`from a script: ${JSON.stringify(line)}`, () =>
      Effect.gen(function* () {
        const node = yield* TestNode.make()
        const connector = yield* connect(node)
        yield* expectSame(node, connector, ["EVAL", "return redis.error_reply(ARGV[1])", "0", line])
        expect(yield* connector.command(["PING"])).toBe("PONG")
        expect((yield* connector.stats).reconnects).toBe(0)
      })
    )
  }

  it.live("from a node without memory, without replicas", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node)
      yield* node.admin("CONFIG", "SET", "maxmemory", "1")
      expect(yield* expectSame(node, connector, ["SET", "a", "1"])).toMatch(/^OOM /)
      yield* node.admin("CONFIG", "SET", "maxmemory", "0")
      yield* node.admin("CONFIG", "SET", "min-replicas-to-write", "1")
      expect(yield* expectSame(node, connector, ["SET", "a", "1"])).toMatch(/^NOREPLICAS /)
    })
  )

  it.live("from a cluster", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ args: ["--cluster-enabled", "yes"] })
      yield* node.admin("CLUSTER", "ADDSLOTSRANGE", 0, 16_383)
      yield* until("the cluster serves", node.admin("CLUSTER", "INFO"), (info) =>
        String(info).includes("cluster_state:ok")
      )
      const connector = yield* connect(node)
      expect(yield* expectSame(node, connector, ["MGET", "a", "b"])).toMatch(/^CROSSSLOT /)
      yield* node.admin("CLUSTER", "DELSLOTS", 15_495)
      expect(yield* expectSame(node, connector, ["GET", "a"])).toMatch(/^CLUSTERDOWN /)
    })
  )

  it.live("from a replica: each costs the connection, and comes first", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node)
      yield* node.admin("REPLICAOF", node.host, 1)
      const line = yield* said(node, ["SET", "a", "1"])
      expect(line).toMatch(/^READONLY /)
      for (const [i, answer] of answers(connector, ["SET", "a", "1"]).entries()) {
        expect(yield* answer).toMatchObject(whole(line))
        yield* until("it serves again", connector.stats, ({ reconnects }) => reconnects === i + 1)
      }
    })
  )

  it.live("from a replica that lost its primary", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* connect(node)
      yield* node.admin("CONFIG", "SET", "replica-serve-stale-data", "no")
      yield* node.admin("REPLICAOF", node.host, 1)
      expect(yield* expectSame(node, connector, ["GET", "a"])).toMatch(/^MASTERDOWN /)
    })
  )

  it.live("from permissions", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({
        args: ["--user", "emq", "on", ">secret", "~emq:*", "~{emq}:*", "+@all", "-config|get", "-incr"]
      })
      const connector = yield* ConnectorWire4.make({
        host: node.host,
        port: node.port,
        username: "emq",
        password: Redacted.make("secret")
      })
      for (const [command, line] of [
        [["INCR", "emq:a"], "NOPERM User emq has no permissions to run the 'incr' command"],
        [["GET", "other"], "NOPERM No permissions to access a key"],
        [["PUBLISH", "c", "m"], "NOPERM No permissions to access a channel"],
        [["CONFIG", "GET", "a"], "NOPERM User emq has no permissions to run the 'config|get' command"],
        [["EVAL", "return redis.call('INCR', 'emq:a')", 0], expect.stringContaining("ACL failure in script")]
      ] as ReadonlyArray<readonly [Command, unknown]>) {
        for (const answer of answers(connector, command))
          expect(yield* answer).toMatchObject({ message: line })
      }
    })
  )
})

describe("a transaction that the server discards", () => {
  it.live("fails with the error for which it did, and runs nothing", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { transaction } = yield* connect(node)
      const error = yield* Effect.flip(transaction([["SET", "a", "1"], ["NOSUCH"], ["SET", "b", "1"]]))
      expect(error).toMatchObject(whole(yield* said(node, ["NOSUCH"])))
      expect(yield* node.admin("EXISTS", "a", "b")).toBe(0)
    })
  )

  it.live("runs what is beside an error that the server meets while it runs", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed: [["SET", "string", "a"]] })
      const { transaction } = yield* connect(node)
      const wrong: Command = ["LPUSH", "string", "a"]
      expect(yield* transaction([["SET", "a", "1"], wrong, ["GET", "a"]])).toMatchObject([
        "OK",
        whole(yield* said(node, wrong)),
        "1"
      ])
    })
  )
})

describe("a text of the driver's own", () => {
  it("is not taken for the server's", () => {
    for (const text of [
      "",
      "timed out",
      "Reached maximum inflight requests",
      "Received connection error `broken pipe`. Will attempt to reconnect",
      "An error was signalled by the server"
    ]) {
      expect(restore(text), text).toBe(null)
    }
  })
})
