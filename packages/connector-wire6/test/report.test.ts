import { BUS, JOB_CORE, VERSION_KEY, WIRE_6 } from "@echomq/keyspace"
import { modulePath } from "@echomq/test-node/module"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Client, dial } from "./support/client.ts"
import { replicated, withModule } from "./support/nodes.ts"
import { ErrorReply, type Wire } from "./support/resp.ts"

const entries: ReadonlyArray<readonly [Wire, Wire]> = [
  ["wire", WIRE_6],
  ["module", "trafikey"],
  ["module_version", "0.1.0"],
  ["module_major", 0],
  ["build", null],
  ["capabilities", [...JOB_CORE, ...BUS]]
]

const facts: ReadonlyArray<readonly [Wire, Wire]> = [
  ["module", "trafikey"],
  ["version", "0.1.0"],
  ["stage", "reference"],
  ["api_version", 1],
  ["bitmap_commands", 0],
  ["shared_api", 0],
  ["bundled_lua", 0],
  ["lua_scripts", 0]
]

const asMap = (reply: Wire) => (reply instanceof Map ? [...reply] : reply)

describe.each([
  ["EMQ.VERSION", entries],
  ["TRA.CAPABILITIES", facts]
] as const)("%s", (command, pairs) => {
  const answers = Effect.fnUntraced(function* (client: Client) {
    expect(yield* client.call(command)).toEqual(pairs.flat())
  })

  it.live("is a flat array in RESP2 and a map in RESP3, in the order of the contract", () =>
    Effect.gen(function* () {
      const client = yield* dial(yield* withModule())
      yield* answers(client)
      yield* client.call("HELLO", 3)
      expect(asMap(yield* client.call(command))).toEqual(pairs)
      expect(asMap(yield* client.call(command.toLowerCase()))).toEqual(pairs)
      yield* client.call("HELLO", 2)
      yield* answers(client)
    })
  )

  it.live.each(["+@read", "+@fast", `+${command.toLowerCase()}`])(
    "works for a user with no key and %s",
    (rule) =>
      Effect.gen(function* () {
        const node = yield* withModule()
        yield* node.admin("ACL", "SETUSER", "app", "on", ">secret", "-@all", rule)
        yield* answers(yield* dial(node, { username: "app", password: "secret" }))
      })
  )

  it.live.each(["EVAL", "EVAL_RO"])("works in a script by %s", (evaluate) =>
    Effect.gen(function* () {
      const client = yield* dial(yield* withModule())
      expect(yield* client.call(evaluate, `return server.call('${command}')`, 0)).toEqual(pairs.flat())
      yield* client.call("HELLO", 3)
      const script = `server.setresp(3); return server.call('${command}')`
      // A Lua table has no place for null.
      const shown = pairs.filter(([, value]) => value !== null)
      expect(yield* client.call(evaluate, script, 0)).toEqual(new Map(shown))
    })
  )

  it.live("works in MULTI, in both protocols", () =>
    Effect.gen(function* () {
      const client = yield* dial(yield* withModule())
      for (const [protocol, expected] of [
        [2, pairs.flat()],
        [3, new Map(pairs)]
      ] as const) {
        yield* client.call("HELLO", protocol)
        yield* client.call("MULTI")
        expect(yield* client.call(command)).toBe("QUEUED")
        expect(yield* client.call("EXEC")).toEqual([expected])
      }
    })
  )

  it.live("works on a replica, in step and cut off from its primary", () =>
    Effect.gen(function* () {
      const { replica } = yield* replicated({
        module: modulePath(),
        args: ["--replica-serve-stale-data", "no"]
      })
      const client = yield* dial(replica)
      yield* answers(client)
      yield* replica.admin("REPLICAOF", "127.0.0.1", 1)
      expect(yield* client.refusal("GET", VERSION_KEY)).toMatch(/^MASTERDOWN /)
      yield* answers(client)
    })
  )

  it.live("reads no key and runs no fence: it is the same on any node", () =>
    Effect.gen(function* () {
      const node = yield* withModule({ seed: [["RPUSH", VERSION_KEY, "x"]] })
      yield* answers(yield* dial(node))
      expect((yield* node.counts).get).toBe(undefined)
    })
  )

  it.live("takes no argument", () =>
    Effect.gen(function* () {
      const client = yield* dial(yield* withModule())
      expect(yield* client.call(command, "x")).toEqual(
        new ErrorReply(`ERR wrong number of arguments for '${command.toLowerCase()}' command`)
      )
    })
  )
})
