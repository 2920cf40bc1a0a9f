import { printable, VERSION_KEY, WIRE_6 } from "@echomq/keyspace"
import type { Part } from "@echomq/test-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ConnectorWire6 } from "../src/index.ts"
import { dial } from "./support/client.ts"
import { withModule } from "./support/nodes.ts"
import { changes, executed, keys } from "./support/statistics.ts"
import { VERBS } from "./support/verbs.ts"

const installed = withModule({ seed: [["SET", VERSION_KEY, WIRE_6]] })

const huge = Buffer.alloc(2 ** 20, "k")
const key = "emq:{q}:pending"

const arity = (name: string) => `ERR wrong number of arguments for '${name.toLowerCase()}' command`

type BadCall = readonly [name: string, args: ReadonlyArray<Part>, words: (verb: string) => string]

const notInteger = (numkeys: string): BadCall => [
  `numkeys ${printable(numkeys)}`,
  [numkeys, key],
  (verb) => `ERR ${verb} numkeys is not an integer or out of range: ${printable(numkeys)}`
]

const notPositive = (numkeys: string): BadCall => [
  `numkeys ${numkeys}`,
  [numkeys, key],
  (verb) => `ERR ${verb} numkeys must be at least 1, got ${numkeys}`
]

const tooMany = (numkeys: string, following: ReadonlyArray<Part>): BadCall => [
  `numkeys ${numkeys}, and ${following.length} follow`,
  [numkeys, ...following],
  (verb) => `ERR ${verb} numkeys is ${numkeys}, larger than the ${following.length} that follow`
]

const outside = (position: number, ...calledKeys: ReadonlyArray<string | Uint8Array>): BadCall => {
  const foreign = printable(calledKeys[position - 1] as string)
  return [
    `key ${position} ${foreign}`,
    [calledKeys.length, ...calledKeys],
    (verb) => `EMQKEY ${verb} key ${position} is not in queue space emq:{q}:<type>: ${foreign}`
  ]
}

const another = (position: number, ...calledKeys: ReadonlyArray<string | Uint8Array>): BadCall => {
  const other = printable(calledKeys[position - 1] as string)
  return [
    `key ${position} of another queue, ${other}`,
    [calledKeys.length, ...calledKeys],
    (verb) => `EMQKEY ${verb} key ${position} is not of the queue of key 1: ${other}`
  ]
}

/** What no verb accepts, and the words that name the fault. */
const badCalls: ReadonlyArray<BadCall> = [
  ["no arguments", [], arity],
  ["numkeys alone", [1], arity],
  ["text alone", ["x"], arity],
  ...["", "x", " 1", "1 ", "+1", "01", "-0", "1.0", "1e0", "0x1", "one\r\n+OK", "\0", "١"].map(notInteger),
  ...[`${2n ** 63n}`, `${2n ** 64n}`, `${2n ** 64n + 1n}`, `${-(2n ** 63n) - 1n}`, "9".repeat(1000)].map(
    notInteger
  ),
  ...["0", "-1", `${-(2n ** 31n)}`, `${-(2n ** 63n)}`].map(notPositive),
  ...["2", "1000000", `${2n ** 31n}`, `${2n ** 32n + 1n}`, `${2n ** 63n - 1n}`].map((numkeys) =>
    tooMany(numkeys, [key])
  ),
  tooMany("4", [key, key, "a"]),
  outside(1, "a"),
  outside(1, ""),
  outside(1, "emq:"),
  outside(1, "emq:{q}"),
  outside(1, "emq:{q}:"),
  outside(1, "emq:{}:pending"),
  outside(1, "emq:{a{b}:pending"),
  outside(1, "emq:{a}}:pending"),
  outside(1, "emq:q:pending"),
  outside(1, "EMQ:{q}:pending"),
  outside(1, "bull:{q}:pending"),
  outside(1, " emq:{q}:pending"),
  outside(1, VERSION_KEY),
  outside(1, "{emq}:x"),
  outside(1, Buffer.of(0)),
  outside(1, Buffer.from("fffe0041", "hex")),
  outside(1, Buffer.from(`\0${key}`)),
  outside(1, "\r\n-ERR\r\n"),
  outside(1, huge),
  outside(1, Buffer.concat([Buffer.from("emq:{"), huge])),
  outside(2, key, VERSION_KEY),
  outside(3, key, key, "a"),
  another(2, key, "emq:{r}:pending"),
  another(2, key, "emq:{q }:pending"),
  another(2, key, "emq:{Q}:pending"),
  another(2, key, Buffer.from("emq:{q\0}:pending")),
  another(2, key, Buffer.concat([Buffer.from("emq:{"), huge, Buffer.from("}:pending")])),
  another(3, key, "emq:{q}:x", Buffer.from("emq:{\xff}:x", "latin1"))
]

describe("a bad call of a verb is refused, names the fault, and writes nothing", () => {
  it.live.each(badCalls.map((call) => [call[0].slice(0, 100), call] as const))("%s", ([, [, args, words]]) =>
    Effect.gen(function* () {
      const node = yield* installed
      const before = yield* changes(node)
      const client = yield* dial(node)
      // For this one the server takes the call apart itself, before the module sees it.
      yield* node.admin("ACL", "SETUSER", "app", "on", ">secret", "+@all", "~emq:{q}:*", `%R~${VERSION_KEY}`)
      const limited = yield* dial(node, { username: "app", password: "secret" })
      const denied = "NOPERM No permissions to access a key"
      for (const verb of VERBS) {
        expect(yield* client.refusal(verb, ...args)).toBe(words(verb))
        expect(yield* client.refusal(verb.toLowerCase(), ...args)).toBe(words(verb))
        expect([words(verb), denied]).toContain(yield* limited.refusal(verb, ...args))
      }
      expect(yield* executed(node)).not.toHaveProperty("get")
      expect(yield* changes(node)).toBe(before)
      expect(yield* node.writes).toBe(0)
      expect(yield* keys(node)).toEqual([VERSION_KEY])
      expect(yield* client.call("EMQ.CLAIM", 1, key)).toBe(1)
    })
  )
})

describe("a bad call of EMQ.INSTALL is refused, names the fault, and writes nothing", () => {
  const numkeys = (got: string): BadCall => [
    `numkeys ${printable(got)}`,
    [got, VERSION_KEY],
    () => `ERR EMQ.INSTALL numkeys must be 1, got ${printable(got)}`
  ]
  const keyed = (got: string | Uint8Array): BadCall => [
    `key ${printable(got)}`,
    [1, got],
    () => `EMQKEY EMQ.INSTALL key 1 must be {emq}:version: ${printable(got)}`
  ]
  const calls: ReadonlyArray<BadCall> = [
    ["no arguments", [], arity],
    ["numkeys alone", [1], arity],
    ["a value from the caller", [1, VERSION_KEY, WIRE_6], arity],
    ["a second key", [2, VERSION_KEY, "{emq}:x"], arity],
    ...["", "x", "0", "-1", "2", "01", "+1", "1000000", `${2n ** 64n + 1n}`, "\0"].map(numkeys),
    ...[
      "",
      "{emq}:",
      "{emq}:versions",
      "{EMQ}:version",
      "emq:{q}:version",
      "emq:version",
      `${VERSION_KEY}\0`
    ].map(keyed),
    keyed(Buffer.from("fffe", "hex")),
    keyed(huge)
  ]

  it.live.each(calls.map((call) => [call[0].slice(0, 100), call] as const))("%s", ([, [, args, words]]) =>
    Effect.gen(function* () {
      const node = yield* withModule()
      const client = yield* dial(node)
      expect(yield* client.refusal("EMQ.INSTALL", ...args)).toBe(words("EMQ.INSTALL"))
      expect(yield* executed(node)).not.toHaveProperty("get")
      expect(yield* node.writes).toBe(0)
      expect(yield* keys(node)).toEqual([])
      expect(yield* client.call("EMQ.INSTALL", 1, VERSION_KEY)).toBe(1)
    })
  )
})

describe.each(["EMQ.VERSION", "TRA.CAPABILITIES"])(
  "a bad call of %s is refused, and names the fault",
  (name) => {
    it.live.each([["x"], [""], ["1", VERSION_KEY], [huge], new Array<string>(1000).fill("x")])("%#", (args) =>
      Effect.gen(function* () {
        const node = yield* installed
        const client = yield* dial(node)
        expect(yield* client.refusal(name, ...(Array.isArray(args) ? args : [args]))).toBe(arity(name))
        expect(yield* node.writes).toBe(0)
        expect(yield* client.call(name)).toContain("trafikey")
      })
    )
  }
)

describe("an unusual call that is none the less good", () => {
  it.live.each([
    [
      "binary keys and arguments",
      [1, Buffer.from("emq:{\xff\0\r\n}:\0", "latin1"), Buffer.from("\0\xff\r\n", "latin1")]
    ],
    ["a queue named as the reserve", [1, "emq:{emq}:version"]],
    ["braces in the type", [1, "emq:{q}:{r}:x"]],
    ["an empty argument", [1, key, ""]],
    ["the same key twice", [2, key, key]],
    ["the journal itself", [1, "emq:{q}:journal"]],
    ["a key of 1 MB", [1, Buffer.concat([Buffer.from("emq:{q}:"), huge])]],
    ["a queue of 1 MB", [1, Buffer.concat([Buffer.from("emq:{"), huge, Buffer.from("}:x")])]],
    ["an argument of 1 MB", [1, key, huge]],
    ["10,000 keys", [10_000, ...Array.from({ length: 10_000 }, (_, i) => `emq:{q}:job:${i}`)]],
    ["10,000 arguments", [1, key, ...Array.from({ length: 10_000 }, String)]]
  ] as ReadonlyArray<readonly [name: string, args: ReadonlyArray<Part>]>)("%s", ([, args]) =>
    Effect.gen(function* () {
      const node = yield* installed
      const client = yield* dial(node)
      const replies = yield* Effect.forEach(VERBS, (verb) => client.call(verb, ...args))
      expect(replies).toEqual(VERBS.map((_, i) => i + 1))
      expect((yield* keys(node)).length).toBe(2)
      expect(yield* node.admin("GET", VERSION_KEY)).toBe(WIRE_6)
    })
  )
})

it.live("a journal that is no list is the server's error, and stays what it is", () =>
  Effect.gen(function* () {
    const node = yield* withModule({
      seed: [
        ["SET", VERSION_KEY, WIRE_6],
        ["SET", "emq:{q}:journal", "x"]
      ]
    })
    const connector = yield* ConnectorWire6.make({ host: node.host, port: node.port })
    for (const verb of VERBS) {
      const error = yield* Effect.flip(connector.command([verb, 1, key]))
      expect(error).toMatchObject({ _tag: "ServerError", code: "WRONGTYPE" })
    }
    expect(yield* node.admin("GET", "emq:{q}:journal")).toBe("x")
  })
)
