import { VERSION_KEY, WIRE_6 } from "@echomq/keyspace"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Authentication, authentications } from "./support/authentication.ts"
import { changeUnderneath, expectFenced } from "./support/foreign.ts"
import { underWrites } from "./support/writers.ts"

const [plain] = authentications as readonly [Authentication]

describe("under writes, the node is killed and replaced by one of wire 6", () => {
  it.live.each(authentications)("$name", (authentication) =>
    Effect.gen(function* () {
      const { connector, node, writers } = yield* underWrites(authentication)
      yield* node.replace({ args: authentication.args, seed: [["SET", VERSION_KEY, WIRE_6]] })
      const error = yield* expectFenced(node, connector, writers)
      expect(error.got).toBe(WIRE_6)
    })
  )
})

describe("under writes, the node is replaced by one that holds", () => {
  it.live.each([
    ["another string", ["SET", VERSION_KEY, "bullmq:5.1.0"], /^bullmq:5\.1\.0$/],
    ["bytes that are not UTF-8", ["SET", VERSION_KEY, Buffer.from("fffe0041", "hex")], /^\\xff\\xfe\\x00A$/],
    ["a list", ["RPUSH", VERSION_KEY, "echomq:4.0.0"], /^WRONGTYPE /],
    ["a stream", ["XADD", VERSION_KEY, "1-1", "version", "echomq:4.0.0"], /^WRONGTYPE /]
  ] as const)("%s", ([, seed, got]) =>
    Effect.gen(function* () {
      const { connector, node, writers } = yield* underWrites(plain)
      yield* node.replace({ seed: [seed] })
      const error = yield* expectFenced(node, connector, writers)
      expect(error.got).toMatch(got)
    })
  )
})

describe("under writes, the value is changed and the connections are cut", () => {
  it.live.each(authentications)("$name", (authentication) =>
    Effect.gen(function* () {
      const { connector, node, writers } = yield* underWrites(authentication)
      yield* changeUnderneath(node)
      const error = yield* expectFenced(node, connector, writers)
      expect(error.got).toBe(WIRE_6)
    })
  )
})
