import { ConnectorWire4 } from "@echomq/connector-wire4"
import { printable, VERSION_KEY, VersionFence, WIRE_4, WIRE_6 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { bytes, type FenceRow, fenceRows, seedOf } from "@echomq/test-node/vectors"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { ConnectorWire6 } from "../src/index.ts"
import { dial } from "./support/client.ts"
import { ErrorReply, encode } from "./support/resp.ts"
import { changes, executed, keys } from "./support/statistics.ts"
import { VERBS } from "./support/verbs.ts"

type Node = TestNode["Service"]

const nameOf = ({ stored, storedType }: FenceRow) =>
  storedType ?? (stored === null || stored === undefined ? "absent" : printable(bytes(stored)))

const cases = fenceRows.map((row) => [nameOf(row), row] as const)

/** A node with the module that holds what a row says, and what that is, down to the byte. */
const nodeOf = Effect.fnUntraced(function* (row: FenceRow) {
  const node = yield* TestNode.make({ module: modulePath(), seed: seedOf(row) })
  const before = yield* dump(node)
  const changesBefore = yield* changes(node)
  return { node, before, changed: Effect.map(changes(node), (now) => now - changesBefore) }
})

const dump = (node: Node) => node.adminBuffer("DUMP", VERSION_KEY)

const present = (row: FenceRow) => row.storedType !== undefined || row.stored !== null

/** The words in which the module, or the server for it, refuses what a row stores. */
const refusalOf = Effect.fnUntraced(function* (
  node: Node,
  { stored }: FenceRow,
  { error, errorPrefix }: { readonly error?: string; readonly errorPrefix?: string }
) {
  if (error !== undefined) return error
  const words =
    stored === undefined || stored === null
      ? (yield* Effect.flip(node.admin("GET", VERSION_KEY))).message
      : `EMQWIRE expected ${WIRE_6} found ${printable(bytes(stored))}`
  expect(words.startsWith(errorPrefix as string)).toBe(true)
  return words
})

const connect = (node: Node) => ConnectorWire6.make({ host: node.host, port: node.port })

it("the vectors have a row for each kind of value", () => {
  expect(fenceRows.length).toBeGreaterThanOrEqual(18)
  expect(new Set(cases.map(([name]) => name)).size).toBe(fenceRows.length)
})

describe("native verbs, each of the sixteen, on a node that holds", () => {
  it.live.each(cases)("%s", ([, row]) =>
    Effect.gen(function* () {
      const { before, changed, node } = yield* nodeOf(row)
      const client = yield* dial(node)
      const run = row.nativeVerb.verdict === "run"
      const replies = yield* Effect.forEach(VERBS, (verb) => client.call(verb, 1, "emq:{q}:pending", "a"))
      const each = Object.fromEntries(VERBS.map((verb) => [verb.toLowerCase(), 1]))
      if (run) {
        expect(replies).toEqual(VERBS.map((_, i) => i + 1))
        expect(yield* executed(node)).toEqual({ ...each, get: VERBS.length, rpush: VERBS.length })
        expect(yield* changed).toBe(VERBS.length)
        expect(yield* keys(node)).toEqual(["emq:{q}:journal", VERSION_KEY])
        expect(yield* node.admin("LRANGE", "emq:{q}:journal", 0, -1)).toEqual(
          VERBS.map((verb) => encode([verb, 1, "emq:{q}:pending", "a"]).toString())
        )
      } else {
        expect(yield* executed(node)).toEqual({ ...each, get: VERBS.length })
        expect(yield* changed).toBe(0)
        expect(yield* node.writes).toBe(0)
        expect(yield* keys(node)).toEqual(present(row) ? [VERSION_KEY] : [])
        const refusal = new ErrorReply(yield* refusalOf(node, row, row.nativeVerb))
        expect(replies).toEqual(VERBS.map(() => refusal))
      }
      expect(yield* dump(node)).toEqual(before)
    })
  )
})

describe("a wire-6 connector on a node that holds", () => {
  it.live.each(cases)("%s", ([, row]) =>
    Effect.gen(function* () {
      const { before, changed, node } = yield* nodeOf(row)
      const result = yield* Effect.result(connect(node))
      expect(yield* executed(node)).toEqual({ "emq.version": 1, get: 1 })
      expect(yield* node.writes).toBe(0)
      expect(yield* changed).toBe(0)
      expect(yield* dump(node)).toEqual(before)
      if (row.wire6.verdict === "run") {
        const connector = Result.getOrThrow(result)
        expect((yield* connector.status)._tag).toBe("Serving")
        expect(yield* connector.command(["EMQ.ENQUEUE", 1, "emq:{q}:pending", "a"])).toBe(1)
        expect(yield* changed).toBe(1)
        expect(yield* dump(node)).toEqual(before)
        return
      }
      const error = Result.getOrThrow(Result.flip(result))
      if (!(error instanceof VersionFence)) return expect.unreachable(error._tag)
      expect(error.fatal).toBe(row.wire6.fatal)
      expect(error.expected).toBe(WIRE_6)
      if (row.stored === undefined) {
        const own = yield* Effect.flip(node.admin("GET", VERSION_KEY))
        expect(own.message.startsWith(row.wire6.gotPrefix as string)).toBe(true)
        expect(error.got).toBe(own.message)
        expect(error.error?.message).toBe(own.message)
        expect(error.bytes).toBe(undefined)
      } else if (row.stored === null) {
        expect(error).toMatchObject({ got: null })
        expect(error.bytes).toBe(undefined)
        expect(error.error).toBe(undefined)
      } else {
        expect(error.got).toBe(printable(bytes(row.stored)))
        expect(Buffer.from(error.bytes ?? [])).toEqual(bytes(row.stored))
        expect(error.error).toBe(undefined)
      }
    })
  )
})

describe("EMQ.INSTALL on a node that holds", () => {
  it.live.each(cases)("%s", ([, row]) =>
    Effect.gen(function* () {
      const { before, changed, node } = yield* nodeOf(row)
      const client = yield* dial(node)
      const reply = yield* client.call("EMQ.INSTALL", 1, VERSION_KEY)
      const wrote = row.install.reply === 1
      expect(yield* executed(node)).toEqual({ "emq.install": 1, get: 1, ...(wrote ? { set: 1 } : {}) })
      expect(yield* changed).toBe(wrote ? 1 : 0)
      if (row.install.reply === undefined) {
        expect(yield* node.writes).toBe(0)
        expect(reply).toEqual(new ErrorReply(yield* refusalOf(node, row, row.install)))
      } else expect(reply).toBe(row.install.reply)
      if (!wrote) expect(yield* dump(node)).toEqual(before)
      if (row.install.after !== undefined) {
        expect(yield* node.adminBuffer("GET", VERSION_KEY)).toEqual(bytes(row.install.after))
        expect(yield* node.admin("TTL", VERSION_KEY)).toBe(-1)
      }
      expect(yield* keys(node)).toEqual([VERSION_KEY])
    })
  )
})

describe("a wire-4 connector, with the module loaded, on a node that holds", () => {
  it.live.each(cases)("%s", ([, row]) =>
    Effect.gen(function* () {
      const { before, changed, node } = yield* nodeOf(row)
      const result = yield* Effect.result(ConnectorWire4.make({ host: node.host, port: node.port }))
      const wrote = row.wire4.wrote === true
      expect(yield* executed(node)).toEqual(wrote ? { get: 2, set: 1 } : { get: 1 })
      expect(yield* changed).toBe(wrote ? 1 : 0)
      if (!wrote) expect(yield* dump(node)).toEqual(before)
      if (row.wire4.verdict === "run") {
        expect(row.wire4.after).toBe(WIRE_4)
        expect(yield* node.admin("GET", VERSION_KEY)).toBe(WIRE_4)
        expect((yield* Result.getOrThrow(result).status)._tag).toBe("Serving")
        return
      }
      const error = Result.getOrThrow(Result.flip(result))
      if (!(error instanceof VersionFence)) return expect.unreachable(error._tag)
      expect(error.fatal).toBe(row.wire4.fatal)
      expect(error.expected).toBe(WIRE_4)
      if (row.stored !== undefined && row.stored !== null) {
        expect(error.got).toBe(printable(bytes(row.stored)))
      } else {
        expect(error.got).toBe((yield* Effect.flip(node.admin("GET", VERSION_KEY))).message)
        expect(error.got?.startsWith(row.wire4.gotPrefix as string)).toBe(true)
      }
    })
  )
})

describe("a value that is hard to show is shown by both sides in the same words", () => {
  const values: ReadonlyArray<readonly [name: string, value: Uint8Array]> = [
    ["one zero byte", Buffer.of(0)],
    ["every byte", Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
    ["bytes from 0xc0 on", Buffer.from(Array.from({ length: 64 }, (_, i) => 0xc0 + i))],
    ["control characters", Buffer.from(Array.from({ length: 32 }, (_, i) => i))],
    ["backslashes, tab and delete", Buffer.from('\\n\t\\\\\x7f"')],
    ["the identity and a zero byte", Buffer.from(`${WIRE_6}\0`)],
    ["an end of a reply within", Buffer.from("\r\n+OK\r\n")],
    ["64 bytes", Buffer.alloc(64, "x")],
    ["65 bytes", Buffer.alloc(65, "x")],
    ["a character across the 64th byte", Buffer.from(`${"x".repeat(62)}\u{1f600}`)],
    ["1 MB of backslashes", Buffer.alloc(2 ** 20, "\\")]
  ]

  it.live.each(values)("%s", ([, value]) =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ module: modulePath(), seed: [["SET", VERSION_KEY, value]] })
      const client = yield* dial(node)
      const words = `EMQWIRE expected ${WIRE_6} found ${printable(value)}`
      expect(yield* client.refusal("EMQ.CLAIM", 1, "emq:{q}:pending")).toBe(words)
      expect(yield* client.refusal("EMQ.INSTALL", 1, VERSION_KEY)).toBe(words)
      const error = yield* Effect.flip(connect(node))
      if (!(error instanceof VersionFence)) return expect.unreachable(error._tag)
      expect(error.got).toBe(printable(value))
      expect(Buffer.compare(error.bytes ?? Buffer.of(), value)).toBe(0)
      expect(Buffer.compare((yield* node.adminBuffer("GET", VERSION_KEY)) as Buffer, value)).toBe(0)
      expect(yield* node.writes).toBe(0)
    })
  )
})
