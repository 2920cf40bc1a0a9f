import { printable, VERSION_KEY, VersionFence, WIRE_4, WIRE_6 } from "@echomq/keyspace"
import type { Part } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ConnectorWire6 } from "../src/index.ts"
import { withModule } from "./support/nodes.ts"

const command = ["EMQ.ENQUEUE", 1, "emq:{q}:pending"] as const

const serving = Effect.gen(function* () {
  const node = yield* withModule({ seed: [["SET", VERSION_KEY, WIRE_6]] })
  const connector = yield* ConnectorWire6.make({ host: node.host, port: node.port })
  expect(yield* connector.command(command)).toBe(1)
  return { connector, node }
})

type Change = ReadonlyArray<Part>

/** What changes the node's wire under a connector, and what the connector is then told that the node holds. */
const changesOfWire: ReadonlyArray<readonly [name: string, change: Change, got: string | null]> = [
  ["claimed by wire 4", ["SET", VERSION_KEY, WIRE_4], WIRE_4],
  ["not installed any more", ["DEL", VERSION_KEY], null],
  ["empty", ["SET", VERSION_KEY, ""], ""],
  ["not UTF-8", ["SET", VERSION_KEY, Buffer.from("fffe0041", "hex")], "\\xff\\xfe\\x00A"],
  ["long", ["SET", VERSION_KEY, "x".repeat(1000)], printable("x".repeat(1000))],
  [
    "a refusal itself",
    ["SET", VERSION_KEY, `EMQWIRE expected ${WIRE_6} found x`],
    `EMQWIRE expected ${WIRE_6} found x`
  ],
  ["flushed", ["FLUSHALL"], null]
]

describe.concurrent("a running connector is stopped by the first verb after the key is", () => {
  it.live.each(changesOfWire)("%s", ([, change, got]) =>
    Effect.gen(function* () {
      const { connector, node } = yield* serving
      yield* node.admin(...change)
      const length = yield* node.admin("LLEN", "emq:{q}:journal")
      const refusal = yield* Effect.flip(connector.command(command))
      expect(refusal).toMatchObject({ _tag: "ServerError", code: "EMQWIRE" })
      const error = yield* Effect.flip(connector.stopped)
      if (!(error instanceof VersionFence)) return expect.unreachable(error._tag)
      expect(error.expected).toBe(WIRE_6)
      expect(error.got).toBe(got)
      expect(error.error).toEqual(got === null ? undefined : refusal)
      expect(error.message).toBe(
        `expected ${WIRE_6} but ${got === null ? `${VERSION_KEY} is absent` : `found ${got}`}`
      )
      expect(yield* Effect.flip(connector.command(command))).toBe(error)
      const received = yield* node.connectionsReceived
      yield* Effect.sleep("3 seconds")
      expect(yield* node.connectionsReceived).toBe(received)
      expect(yield* node.connections).toBe(0)
      expect(yield* node.admin("LLEN", "emq:{q}:journal")).toBe(length)
    })
  )
})

describe("the same, by the replies of", () => {
  it.live("a pipeline: all of them reach the caller first", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* serving
      yield* node.admin("SET", VERSION_KEY, WIRE_4)
      const replies = yield* connector.pipeline([command, ["PING"], command])
      expect(replies).toMatchObject([{ code: "EMQWIRE" }, "PONG", { code: "EMQWIRE" }])
      expect((yield* Effect.flip(connector.stopped))._tag).toBe("VersionFence")
    })
  )

  it.live("a transaction", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* serving
      yield* node.admin("SET", VERSION_KEY, WIRE_4)
      const replies = yield* connector.transaction([command, ["INCR", "n"]])
      expect(replies).toMatchObject([{ code: "EMQWIRE" }, 1])
      expect((yield* Effect.flip(connector.stopped))._tag).toBe("VersionFence")
    })
  )
})

describe("an error of the caller's making leaves the connector serving", () => {
  it.live.each([
    ["shape", ["EMQ.ENQUEUE", 0, "emq:{q}:pending"], "ERR"],
    ["arity", ["EMQ.ENQUEUE"], "ERR"],
    ["layout", ["EMQ.ENQUEUE", 1, "bull:q:wait"], "EMQKEY"],
    ["an unknown verb", ["EMQ.NOSUCH", 1, "emq:{q}:pending"], "ERR"],
    ["a wrong type", ["INCR", "emq:{q}:journal"], "WRONGTYPE"]
  ] as const)("%s", ([, call, code]) =>
    Effect.gen(function* () {
      const { connector } = yield* serving
      expect(yield* Effect.flip(connector.command(call))).toMatchObject({ _tag: "ServerError", code })
      expect(yield* connector.command(command)).toBe(2)
      expect((yield* connector.status)._tag).toBe("Serving")
      expect((yield* connector.stats).reconnects).toBe(0)
    })
  )
})

it.live("a node that becomes a replica is dialled again, and served once it is a primary", () =>
  Effect.gen(function* () {
    const { connector, node } = yield* serving
    yield* node.admin("REPLICAOF", "127.0.0.1", 1)
    expect(yield* Effect.flip(connector.command(command))).toMatchObject({ code: "READONLY" })
    yield* until("it has reconnected", connector.stats, ({ reconnects }) => reconnects === 1)
    yield* node.admin("REPLICAOF", "NO", "ONE")
    expect(yield* connector.command(command)).toBe(2)
  })
)
