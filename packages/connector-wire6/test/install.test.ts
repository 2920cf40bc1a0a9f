import { VERSION_KEY, WIRE_6 } from "@echomq/keyspace"
import type { TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ConnectorWire6 } from "../src/index.ts"
import { dial } from "./support/client.ts"
import { replicated, withModule } from "./support/nodes.ts"
import { keys } from "./support/statistics.ts"

const INSTALL = ["EMQ.INSTALL", 1, VERSION_KEY] as const

/** Shows that nothing came of a refused install. */
const nothingWritten = Effect.fnUntraced(function* (node: TestNode["Service"]) {
  expect(yield* keys(node)).toEqual([])
  expect(yield* node.writes).toBe(0)
  expect((yield* node.counts).get).toBe(undefined)
})

describe("EMQ.INSTALL is denied", () => {
  it.live.each([
    ["EVAL", "return server.call('EMQ.INSTALL', 1, KEYS[1])"],
    ["EVAL", "return server.pcall('emq.install', '1', KEYS[1])"]
  ] as const)("to a script: %s %s", ([command, script]) =>
    Effect.gen(function* () {
      const node = yield* withModule()
      const client = yield* dial(node)
      expect(yield* client.refusal(command, script, 1, VERSION_KEY)).toMatch(/not allowed from script/)
      yield* nothingWritten(node)
    })
  )

  it.live("to a function", () =>
    Effect.gen(function* () {
      const node = yield* withModule()
      const client = yield* dial(node)
      yield* client.call(
        "FUNCTION",
        "LOAD",
        "#!lua name=l\nserver.register_function('f', function(keys) return server.call('EMQ.INSTALL', 1, keys[1]) end)"
      )
      expect(yield* client.refusal("FCALL", "f", 1, VERSION_KEY)).toMatch(/not allowed from script/)
      expect(yield* keys(node)).toEqual([])
    })
  )

  it.live.each(["-@admin", "-@dangerous", "-@write", "-@slow", "-emq.install"])("to a user with %s", (rule) =>
    Effect.gen(function* () {
      const node = yield* withModule()
      yield* node.admin("ACL", "SETUSER", "app", "on", ">secret", "~*", "&*", "+@all", rule)
      const client = yield* dial(node, { username: "app", password: "secret" })
      const denied = "NOPERM User app has no permissions to run the 'emq.install' command"
      expect(yield* client.refusal(...INSTALL)).toBe(denied)
      yield* client.call("MULTI")
      expect(yield* client.refusal(...INSTALL)).toBe(denied)
      expect(yield* client.refusal("EXEC")).toMatch(/^EXECABORT /)
      yield* nothingWritten(node)
    })
  )

  it.live("to a user that may not write the key", () =>
    Effect.gen(function* () {
      const node = yield* withModule()
      yield* node.admin("ACL", "SETUSER", "app", "on", ">secret", `%R~${VERSION_KEY}`, "~emq:*", "+@all")
      const client = yield* dial(node, { username: "app", password: "secret" })
      expect(yield* client.refusal(...INSTALL)).toBe("NOPERM No permissions to access a key")
      yield* nothingWritten(node)
    })
  )

  it.live("to everyone where memory is short", () =>
    Effect.gen(function* () {
      const node = yield* withModule({ args: ["--maxmemory", "1"] })
      const client = yield* dial(node)
      expect(yield* client.refusal(...INSTALL)).toMatch(/^OOM /)
      expect(yield* client.call("EMQ.VERSION")).toContain(WIRE_6)
      yield* nothingWritten(node)
    })
  )

  it.live("on a replica, and the value of the primary reaches it", () =>
    Effect.gen(function* () {
      const { primary, replica } = yield* replicated({ module: modulePath() })
      const client = yield* dial(replica)
      expect(yield* client.refusal(...INSTALL)).toMatch(/^READONLY /)
      yield* nothingWritten(replica)
      expect(yield* (yield* dial(primary)).call(...INSTALL)).toBe(1)
      yield* until("the replica has it", replica.admin("GET", VERSION_KEY), (value) => value === WIRE_6)
      expect(yield* client.refusal(...INSTALL)).toMatch(/^READONLY /)
    })
  )
})

describe("EMQ.INSTALL is allowed", () => {
  it.live("to an operator in a transaction, once", () =>
    Effect.gen(function* () {
      const node = yield* withModule()
      const client = yield* dial(node)
      yield* client.call("MULTI")
      yield* client.call(...INSTALL)
      yield* client.call("EMQ.ENQUEUE", 1, "emq:{q}:pending")
      yield* client.call(...INSTALL)
      expect(yield* client.call("EXEC")).toEqual([1, 1, 0])
    })
  )

  it.live("and stands after a restart", () =>
    Effect.gen(function* () {
      const node = yield* withModule()
      const client = yield* dial(node)
      yield* client.call(...INSTALL)
      yield* client.call("EMQ.ENQUEUE", 1, "emq:{q}:pending", "a")
      yield* node.restart
      expect(yield* keys(node)).toEqual(["emq:{q}:journal", VERSION_KEY])
      const connector = yield* ConnectorWire6.make({ host: node.host, port: node.port })
      expect(yield* connector.command(["EMQ.ENQUEUE", 1, "emq:{q}:pending"])).toBe(2)
    })
  )
})
