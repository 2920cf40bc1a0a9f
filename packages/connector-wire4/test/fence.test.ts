import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { type FatalError, printable, VERSION_KEY, VersionFence, WIRE_4 } from "@echomq/keyspace"
import { type NodeError, TestNode } from "@echomq/test-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { ConnectorWire4 } from "../src/index.ts"
import { changes, executedOnKeys } from "./support/statistics.ts"

type Node = TestNode["Service"]
type Text = string | { readonly hex: string }

interface Row {
  readonly stored?: Text | null
  readonly storedType?: keyof typeof ofType
  readonly wire4:
    | { readonly verdict: "run"; readonly after: string; readonly wrote: boolean }
    | { readonly verdict: "refuse"; readonly fatal: FatalError["fatal"]; readonly gotPrefix?: string }
}

const rows: ReadonlyArray<Row> = JSON.parse(
  readFileSync(new URL("../../../vectors/fence.json", import.meta.url), "utf8")
)

const ofType = {
  list: ["RPUSH", VERSION_KEY, WIRE_4],
  hash: ["HSET", VERSION_KEY, "version", WIRE_4],
  set: ["SADD", VERSION_KEY, WIRE_4],
  zset: ["ZADD", VERSION_KEY, "4", WIRE_4],
  stream: ["XADD", VERSION_KEY, "1-1", "version", WIRE_4]
}

const toBytes = (text: Text) => (typeof text === "string" ? Buffer.from(text) : Buffer.from(text.hex, "hex"))

const nameOf = ({ stored, storedType }: Row) =>
  storedType ?? (stored === null || stored === undefined ? "absent" : printable(toBytes(stored)))

const seedOf = ({ stored, storedType }: Row): ReadonlyArray<ReadonlyArray<string | Uint8Array>> =>
  storedType !== undefined
    ? [ofType[storedType]]
    : stored === null || stored === undefined
      ? []
      : [["SET", VERSION_KEY, toBytes(stored)]]

/** The key with its type and its value, down to the byte; `null` where it is absent. */
const dump = (node: Node): Effect.Effect<unknown, NodeError> => node.adminBuffer("DUMP", VERSION_KEY)

/** One attempt of a connector on a node that never had another, and what there was to see of it on the server. */
const attempt = Effect.fnUntraced(function* (seed: ReadonlyArray<ReadonlyArray<string | Uint8Array>>) {
  const node = yield* TestNode.make({ seed })
  const before = yield* dump(node)
  const changesBefore = yield* changes(node)
  const result = yield* Effect.result(ConnectorWire4.make({ host: node.host, port: node.port }))
  return {
    node,
    result,
    before,
    after: yield* dump(node),
    changed: (yield* changes(node)) - changesBefore,
    executed: yield* executedOnKeys(node),
    writes: yield* node.writes
  }
})

const refused = Effect.fnUntraced(function* (seed: ReadonlyArray<ReadonlyArray<string | Uint8Array>>) {
  const { after, before, changed, executed, node, result, writes } = yield* attempt(seed)
  expect(executed).toEqual({ get: 1 })
  expect(writes).toBe(0)
  expect(changed).toBe(0)
  expect(before).not.toBe(null)
  expect(after).toEqual(before)
  const error = Result.getOrThrow(Result.flip(result))
  if (!(error instanceof VersionFence)) return expect.unreachable(error._tag)
  expect(error.expected).toBe(WIRE_4)
  expect(error.message.length).toBeLessThan(300)
  expect(error.message).toMatch(/^[\x20-\x7e]*$/)
  return { node, error }
})

const refusedString = Effect.fnUntraced(function* (stored: Uint8Array) {
  const { error, node } = yield* refused([["SET", VERSION_KEY, stored]])
  expect(error.fatal).toBe("version_fence")
  expect(error.got).toBe(printable(stored))
  expect(error.error).toBe(undefined)
  expect(Buffer.compare(Buffer.from(error.bytes ?? []), stored)).toBe(0)
  expect(Buffer.compare((yield* node.adminBuffer("GET", VERSION_KEY)) as Buffer, stored)).toBe(0)
})

describe("every row of fence.json on a real server", () => {
  it("has all of them", () => {
    expect(rows.length).toBeGreaterThanOrEqual(18)
    expect(new Set(rows.map(nameOf)).size).toBe(rows.length)
  })

  it.live.each(rows.map((row) => [nameOf(row), row] as const))("%s", ([, row]) =>
    Effect.gen(function* () {
      const { wire4 } = row
      if (wire4.verdict === "run") {
        const { after, before, changed, executed, node, result, writes } = yield* attempt(seedOf(row))
        expect(executed).toEqual(wire4.wrote ? { get: 2, set: 1 } : { get: 1 })
        expect(writes).toBe(wire4.wrote ? 1 : 0)
        expect(changed).toBe(wire4.wrote ? 1 : 0)
        if (!wire4.wrote) expect(after).toEqual(before)
        expect(yield* node.adminBuffer("GET", VERSION_KEY)).toEqual(Buffer.from(wire4.after))
        expect(yield* node.admin("TTL", VERSION_KEY)).toBe(-1)
        const connector = Result.getOrThrow(result)
        expect((yield* connector.status)._tag).toBe("Serving")
        expect(yield* connector.command(["INCR", "served"])).toBe(1)
      } else if (row.stored !== undefined && row.stored !== null) {
        expect(wire4.fatal).toBe("version_fence")
        yield* refusedString(toBytes(row.stored))
      } else {
        const { error, node } = yield* refused(seedOf(row))
        expect(error.fatal).toBe(wire4.fatal)
        expect(error.got).toMatch(new RegExp(`^${wire4.gotPrefix}`))
        expect(error.error?.code).toBe(wire4.gotPrefix)
        expect(error.error?.message).toBe(error.got)
        expect(error.bytes).toBe(undefined)
        expect(yield* node.admin("TYPE", VERSION_KEY)).toBe(row.storedType)
        const own = yield* Effect.flip(node.admin("GET", VERSION_KEY))
        expect(error.got).toBe(own.message)
      }
    })
  )
})

describe("stored values that are hard to show", () => {
  const values: ReadonlyArray<readonly [name: string, value: Uint8Array]> = [
    ["empty", Buffer.of()],
    ["one zero byte", Buffer.of(0)],
    ["every byte", Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
    ["the identity and a zero byte", Buffer.from(`${WIRE_4}\0`)],
    ["the identity after a byte order mark", Buffer.from(`\ufeff${WIRE_4}`)],
    ["the identity in UTF-16", Buffer.from(WIRE_4, "utf16le")],
    ["the identity in full-width letters", Buffer.from("\uff45chomq:4.0.0")],
    ["the identity, its last byte with the high bit", Buffer.from("6563686f6d713a342e302eb0", "hex")],
    ["a lone surrogate", Buffer.from("eda080", "hex")],
    ["an overlong form", Buffer.from("c080", "hex")],
    ["a cut-off sequence", Buffer.from("f09f98", "hex")],
    ["terminal escapes", Buffer.from("\u001b[2J\u001b]0;x\u0007\r\n+OK\r\n")],
    ["64 bytes", Buffer.alloc(64, "x")],
    ["65 bytes", Buffer.alloc(65, "x")],
    ["a character across the 64th byte", Buffer.from(`${"x".repeat(62)}\u{1f600}`)],
    ["1 MB of random bytes", randomBytes(2 ** 20)],
    ["1 MB of text", Buffer.alloc(2 ** 20, "echomq:4.0.0 ")],
    ["1 MB of backslashes", Buffer.alloc(2 ** 20, "\\")]
  ]

  it.live.each(values)("%s", ([, value]) => refusedString(value))

  it.live("a HyperLogLog, which is a string to the server", () =>
    Effect.gen(function* () {
      const { error } = yield* refused([["PFADD", VERSION_KEY, WIRE_4]])
      expect(error.got).toMatch(/^HYLL/)
      expect(error.bytes?.length).toBeGreaterThan(20)
    })
  )

  it.live("1 MB in a wrong type", () =>
    Effect.gen(function* () {
      const { error } = yield* refused([["HSET", VERSION_KEY, randomBytes(2 ** 20), randomBytes(2 ** 20)]])
      expect(error.error?.code).toBe("WRONGTYPE")
    })
  )
})

describe("a claim", () => {
  it.live("stands: the next connector reads it and writes nothing", () =>
    Effect.gen(function* () {
      const { node } = yield* attempt([])
      yield* node.admin("CONFIG", "RESETSTAT")
      yield* ConnectorWire4.make({ host: node.host, port: node.port })
      expect(yield* executedOnKeys(node)).toEqual({ get: 1 })
    })
  )

  it.live("that the server refuses is a refusal, with the server's error", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ args: ["--maxmemory", "1"] })
      const error = yield* Effect.flip(ConnectorWire4.make({ host: node.host, port: node.port }))
      if (!(error instanceof VersionFence)) return expect.unreachable(error._tag)
      expect(error.got).toBe(null)
      expect(error.error?.code).toBe("OOM")
      expect(error.message.length).toBeLessThan(300)
      expect(yield* node.writes).toBe(0)
      expect(yield* executedOnKeys(node)).toEqual({ get: 2 })
      expect(yield* dump(node)).toBe(null)
    })
  )
})
