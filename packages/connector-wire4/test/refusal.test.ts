import { type Command, CommandRefused, Refusal } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ConnectorWire4 } from "../src/index.ts"

import { executedOnKeys } from "./support/statistics.ts"

const changesState = "it would change the state of a connection that all callers share"
const holdsUp = "it would hold up a connection that all callers share"

type Text = readonly [string, ...ReadonlyArray<string>]

/** What to do instead, and the commands of which that is said. */
const refused: ReadonlyArray<readonly [why: string, instead: RegExp, commands: ReadonlyArray<Text>]> = [
  [
    changesState,
    /^configure the username and the password$/,
    [["AUTH", "secret"], ["AUTH", "user", "secret"], ["HELLO"], ["HELLO", "3", "AUTH", "user", "secret"]]
  ],
  [changesState, /^configure the database$/, [["SELECT", "0"]]],
  [changesState, /^configure the client name$/, [["CLIENT", "SETNAME", "mine"]]],
  [changesState, /scope/, [["RESET"], ["QUIT"]]],
  [changesState, /the connector's transaction/, [["MULTI"], ["EXEC"], ["DISCARD"]]],
  [changesState, /a script/, [["WATCH", "key"], ["UNWATCH"]]],
  [
    changesState,
    /^use the connector's subscribe$/,
    [
      ["SUBSCRIBE", "c"],
      ["PSUBSCRIBE", "*"],
      ["SSUBSCRIBE", "c"],
      ["UNSUBSCRIBE"],
      ["PUNSUBSCRIBE"],
      ["SUNSUBSCRIBE"]
    ]
  ],
  [
    changesState,
    /^use a connection of your own$/,
    [
      ["MONITOR"],
      ["SYNC"],
      ["PSYNC", "?", "-1"],
      ["REPLCONF", "ack", "0"],
      ["READONLY"],
      ["READWRITE"],
      ["ASKING"],
      ["CLIENT", "REPLY", "OFF"],
      ["CLIENT", "TRACKING", "on"],
      ["CLIENT", "CACHING", "yes"],
      ["CLIENT", "NO-EVICT", "on"],
      ["CLIENT", "NO-TOUCH", "on"],
      ["CLIENT", "CAPA", "redirect"],
      ["CLIENT", "IMPORT-SOURCE", "on"],
      ["CLIENT", "SETINFO", "lib-name", "mine"],
      ["SCRIPT", "DEBUG", "yes"]
    ]
  ],
  [
    holdsUp,
    /does not block/,
    [
      ["BLPOP", "l", "0"],
      ["BRPOP", "l", "0"],
      ["BRPOPLPUSH", "a", "b", "0"],
      ["BLMOVE", "a", "b", "LEFT", "LEFT", "0"],
      ["BLMPOP", "0", "1", "l", "LEFT"],
      ["BZPOPMIN", "z", "0"],
      ["BZPOPMAX", "z", "0"],
      ["BZMPOP", "0", "1", "z", "MIN"],
      ["WAIT", "1", "0"],
      ["WAITAOF", "1", "0", "0"],
      ["XREAD", "BLOCK", "0", "STREAMS", "s", "$"],
      ["XREAD", "COUNT", "1", "BLOCK", "0", "STREAMS", "s", "$"],
      ["XREADGROUP", "GROUP", "g", "c", "BLOCK", "0", "STREAMS", "s", ">"],
      ["XREADGROUP", "GROUP", "g", "c", "COUNT", "1", "NOACK", "BLOCK", "0", "STREAMS", "s", ">"]
    ]
  ]
]

const swapCase = (text: string) =>
  Array.from(text, (letter, i) => (i % 2 === 0 ? letter.toLowerCase() : letter.toUpperCase())).join("")

/** The ways to spell a command: a name and an option are the same in any letter case, and as bytes. */
const spellings = (command: Text): ReadonlyArray<Command> => [
  command,
  command.map((part) => part.toLowerCase()),
  command.map(swapCase),
  command.map((part) => Buffer.from(part)),
  command.map((part) => new TextEncoder().encode(part.toLowerCase()))
]

const nameOf = ([name, sub]: Text) => (name === "CLIENT" || name === "SCRIPT" ? `${name} ${sub}` : name)

describe("a command that would change or block the connection", () => {
  for (const [why, instead, commands] of refused) {
    for (const command of commands) {
      it.live(`is refused: ${command.join(" ")}`, () =>
        Effect.gen(function* () {
          const node = yield* TestNode.make()
          const connector = yield* ConnectorWire4.make({ host: node.host, port: node.port })
          yield* node.admin("CONFIG", "RESETSTAT")
          const set = ["SET", "key", "value"]
          for (const spelling of spellings(command)) {
            for (const call of [
              connector.command(spelling),
              connector.pipeline([set, spelling]),
              connector.pipeline([spelling, set]),
              connector.transaction([set, spelling, set])
            ]) {
              const error = yield* Effect.flip(call)
              expect(error).toBeInstanceOf(CommandRefused)
              expect(error).toMatchObject({
                command: nameOf(command),
                why,
                instead: expect.stringMatching(instead)
              })
              expect(error.message).not.toContain("secret")
            }
          }
          expect(yield* executedOnKeys(node)).toEqual({})
          expect(yield* connector.stats).toMatchObject({
            commands: 0,
            pipelines: 0,
            transactions: 0,
            pending: 0
          })
          expect(yield* connector.command(set)).toBe("OK")
        })
      )
    }
  }
})

describe("the table of the refused", () => {
  it.live("has every command that the server flags as blocking, or as one about the connection", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const flagged = commandsOf(yield* node.admin("COMMAND"))
      const passing = (flag: string) =>
        flagged
          .filter(({ flags, name }) => flags.has(flag) && !refuses(name))
          .map(({ name }) => name)
          .toSorted()
      expect(flagged.length).toBeGreaterThan(300)
      // These two block where they are asked to.
      expect(passing("blocking")).toEqual(["xread", "xreadgroup"])
      expect(passing("no_auth")).toEqual([])
      // These two end or stall the server, not the connection.
      expect(passing("no_multi")).toEqual(["save", "shutdown"])
      expect(passing("pubsub").filter((name) => !name.startsWith("pubsub|"))).toEqual(["publish", "spublish"])
      // What is about connections and passes: it asks, or it is about others.
      expect(passing("@connection").filter((name) => !name.startsWith("command"))).toEqual([
        "client|getname",
        "client|getredir",
        "client|help",
        "client|id",
        "client|info",
        "client|kill",
        "client|list",
        "client|pause",
        "client|trackinginfo",
        "client|unblock",
        "client|unpause",
        "echo",
        "ping"
      ])
    })
  )
})

interface Flagged {
  readonly name: string
  readonly flags: ReadonlySet<string>
}

const commandsOf = (reply: unknown): ReadonlyArray<Flagged> =>
  (reply as ReadonlyArray<ReadonlyArray<unknown>>).flatMap((entry) => {
    const subcommands = commandsOf(entry[9] ?? [])
    const flags = [...(entry[2] as ReadonlyArray<string>), ...(entry[6] as ReadonlyArray<string>)]
    return subcommands.length > 0 ? subcommands : [{ name: String(entry[0]), flags: new Set(flags) }]
  })

const refuses = (name: string) => {
  const [first = "", ...rest] = name.toUpperCase().split("|")
  return Refusal.refusal(first, [first, ...rest], false) !== null
}

describe("a command that only looks like one of these", () => {
  it.live("is sent", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { command } = yield* ConnectorWire4.make({ host: node.host, port: node.port })
      yield* command(["XADD", "BLOCK", "1-1", "a", "1"])
      yield* command(["XGROUP", "CREATE", "BLOCK", "BLOCK", "0"])
      const entries = [["BLOCK", [["1-1", [["a", "1"]]]]]]
      expect(yield* command(["XREAD", "STREAMS", "BLOCK", "0"])).toEqual(entries)
      expect(yield* command(["xread", "count", 1, "streams", "BLOCK", "0"])).toEqual(entries)
      expect(yield* command(["XREADGROUP", "GROUP", "BLOCK", "BLOCK", "STREAMS", "BLOCK", ">"])).toEqual(
        entries
      )
      expect(
        yield* command(["XREADGROUP", "GROUP", "BLOCK", "c", "COUNT", "1", "NOACK", "STREAMS", "BLOCK", ">"])
      ).toBe(null)
      expect(yield* command(["CLIENT", "ID"])).toBeTypeOf("number")
      expect(yield* command(["CLIENT", "GETNAME"])).toBe(null)
      expect(yield* command(["SCRIPT", "EXISTS", "SELECT"])).toEqual([0])
      expect(yield* command(["ECHO", "SELECT"])).toBe("SELECT")
      expect(yield* command(["SET", "AUTH", "RESET"])).toBe("OK")
    })
  )

  it.live("is answered by the server, where it is no command at all", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { command } = yield* ConnectorWire4.make({ host: node.host, port: node.port })
      for (const parts of [
        ["CLIENT"],
        ["XREAD"],
        ["XREAD", "COUNT"],
        ["XREADGROUP", "GROUP", "BLOCK"],
        ["SELECT 1"]
      ]) {
        expect(yield* Effect.flip(command(parts))).toMatchObject({ _tag: "ServerError", code: "ERR" })
      }
      expect((yield* node.executed).select).toBe(undefined)
    })
  )
})

describe("an argument", () => {
  const loneSurrogate = "\ud800"
  const inexact: ReadonlyArray<unknown> = [
    loneSurrogate,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    2 ** 53,
    -(2 ** 53),
    1e21,
    undefined,
    null,
    true,
    {},
    10n
  ]

  it.live("that has no exact form is refused, and shown to nobody", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* ConnectorWire4.make({ host: node.host, port: node.port })
      for (const part of inexact) {
        const command = ["SET", "key", part] as Command
        for (const call of [
          connector.command(command),
          connector.pipeline([["SET", "key", "value"], command]),
          connector.transaction([["SET", "key", "value"], command])
        ]) {
          expect(yield* Effect.flip(call)).toMatchObject({
            _tag: "CommandRefused",
            command: "a command",
            why: "argument 2 has no exact form on the wire"
          })
        }
      }
      for (const nameless of [[], [""], [new Uint8Array()]]) {
        expect(yield* Effect.flip(connector.command(nameless))).toMatchObject({
          _tag: "CommandRefused",
          why: "it has no name"
        })
      }
      expect(yield* node.admin("EXISTS", "key")).toBe(0)
    })
  )

  it.live("is sent as it is", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { command } = yield* ConnectorWire4.make({ host: node.host, port: node.port })
      const every = Uint8Array.from({ length: 256 }, (_, byte) => byte)
      const parts: ReadonlyArray<
        readonly [part: string | number | Uint8Array, onTheWire: string | Uint8Array]
      > = [
        ["", ""],
        ["two words\r\n", "two words\r\n"],
        ["é😀\u0000\ufeff", "é😀\u0000\ufeff"],
        [0, "0"],
        [-0, "0"],
        [-1.5, "-1.5"],
        [1e-7, "1e-7"],
        [Number.MAX_SAFE_INTEGER, "9007199254740991"],
        [Number.MIN_SAFE_INTEGER, "-9007199254740991"],
        [every, every],
        [every.subarray(200, 210), every.slice(200, 210)],
        [Buffer.alloc(1_000_000, 255), Buffer.alloc(1_000_000, 255)]
      ]
      for (const [part, onTheWire] of parts) {
        yield* command([Buffer.from("SET"), "key", part])
        expect(
          Buffer.from(onTheWire as Uint8Array).equals((yield* node.adminBuffer("GET", "key")) as Buffer)
        ).toBe(true)
      }
    })
  )
})

describe("a command that is too large", () => {
  it.live("is refused, and nothing of it or of its pipeline is sent", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const options = { host: node.host, port: node.port, commandLimit: 100 }
      const { command, lane, pipeline } = yield* ConnectorWire4.make(options)
      // SET and the key have four bytes; a character of these three.
      yield* command(["SET", "k", "x".repeat(96)])
      yield* command(["SET", "k", "€".repeat(32)])
      const before = yield* executedOnKeys(node)
      for (const value of ["x".repeat(97), "€".repeat(33), Buffer.alloc(97)]) {
        const refused = yield* Effect.flip(command(["SET", "k", value]))
        expect(refused).toMatchObject({ _tag: "CommandRefused", command: "SET" })
        expect(refused.message).toContain("limit is 100")
        expect(
          (yield* Effect.flip(
            pipeline([
              ["INCR", "n"],
              ["SET", "k", value]
            ])
          ))._tag
        ).toBe("CommandRefused")
      }
      expect(yield* executedOnKeys(node)).toEqual(before)
      const { command: onLane } = yield* lane
      expect((yield* Effect.flip(onLane(["SET", "k", "x".repeat(97)])))._tag).toBe("CommandRefused")
    })
  )
})
