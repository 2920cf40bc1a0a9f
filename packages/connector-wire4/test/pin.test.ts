import { type Command, CommandRefused, type Connector, VERSION_KEY, WIRE_6 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ConnectorWire4 } from "../src/index.ts"
import { authentications } from "./support/authentication.ts"
import { changeUnderneath, expectFenced } from "./support/foreign.ts"
import { underWrites, write } from "./support/writers.ts"

type Refused = readonly [name: string, ...args: ReadonlyArray<string>]

/** What logs in again, which the driver would remember. */
const logins: ReadonlyArray<Refused> = [
  ["AUTH", "secret"],
  ["AUTH", "default", "secret"],
  ["HELLO"],
  ["HELLO", "2"],
  ["HELLO", "3"],
  ["HELLO", "3", "AUTH", "default", "secret"],
  ["HELLO", "3", "AUTH", "default", "secret", "SETNAME", "mine"],
  ["RESET"]
]

/** What changes the connection in some other way. */
const changing: ReadonlyArray<Refused> = [
  ["SELECT", "0"],
  ["SELECT", "1"],
  ["QUIT"],
  ["MULTI"],
  ["EXEC"],
  ["DISCARD"],
  ["WATCH", "key"],
  ["UNWATCH"],
  ["SUBSCRIBE", "channel"],
  ["PSUBSCRIBE", "*"],
  ["SSUBSCRIBE", "channel"],
  ["UNSUBSCRIBE"],
  ["PUNSUBSCRIBE"],
  ["SUNSUBSCRIBE"],
  ["MONITOR"],
  ["SYNC"],
  ["PSYNC", "?", "-1"],
  ["REPLCONF", "listening-port", "1"],
  ["READONLY"],
  ["READWRITE"],
  ["ASKING"],
  ["CLIENT", "REPLY", "OFF"],
  ["CLIENT", "REPLY", "SKIP"],
  ["CLIENT", "TRACKING", "ON"],
  ["CLIENT", "CACHING", "YES"],
  ["CLIENT", "NO-EVICT", "ON"],
  ["CLIENT", "NO-TOUCH", "ON"],
  ["CLIENT", "CAPA", "redirect"],
  ["CLIENT", "IMPORT-SOURCE", "ON"],
  ["CLIENT", "SETNAME", "mine"],
  ["CLIENT", "SETINFO", "lib-name", "mine"],
  ["SCRIPT", "DEBUG", "YES"]
]

const blocking: ReadonlyArray<Refused> = [
  ["BLPOP", "list", "0"],
  ["BRPOP", "list", "0"],
  ["BRPOPLPUSH", "list", "other", "0"],
  ["BLMOVE", "list", "other", "LEFT", "LEFT", "0"],
  ["BLMPOP", "0", "1", "list", "LEFT"],
  ["BZPOPMIN", "zset", "0"],
  ["BZPOPMAX", "zset", "0"],
  ["BZMPOP", "0", "1", "zset", "MIN"],
  ["XREAD", "BLOCK", "0", "STREAMS", "stream", "$"],
  ["XREAD", "COUNT", "1", "BLOCK", "0", "STREAMS", "stream", "$"],
  ["XREADGROUP", "GROUP", "group", "me", "BLOCK", "0", "STREAMS", "stream", ">"],
  ["XREADGROUP", "GROUP", "STREAMS", "me", "NOACK", "BLOCK", "0", "STREAMS", "stream", ">"],
  ["WAIT", "1", "0"],
  ["WAITAOF", "0", "1", "0"]
]

const refused = [...logins, ...changing, ...blocking]

const mixed = (text: string) =>
  [...text].map((letter, i) => (i % 2 === 0 ? letter.toLowerCase() : letter.toUpperCase())).join("")

/** The same command as callers may spell it. */
const spellings = (command: Refused): ReadonlyArray<Command> => [
  command,
  command.map((part) => part.toLowerCase()),
  command.map(mixed),
  command.map((part) => Buffer.from(part)),
  // The server reads up to a zero byte: an option always, a name where the hash of it happens to fit.
  command.map((part) => (/^[A-Z]/.test(part) ? `${part}\0${part}` : part))
]

/** Every way in which a caller can send a command. */
const attempts = (connector: Connector["Service"], command: Command) =>
  [
    connector.command(command),
    connector.command(command, { bytes: true }),
    connector.pipeline([["INCR", "beside"], command]),
    connector.pipeline([command, ["INCR", "beside"]]),
    connector.transaction([command]),
    connector.transaction([["INCR", "beside"], command])
  ] as ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>>

describe("a command that would change or block the shared connection is refused", () => {
  it.live("before anything of it is sent, however it is spelt, in a pipeline and a transaction", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* ConnectorWire4.make({ host: node.host, port: node.port })
      const before = yield* node.counts
      for (const command of refused) {
        const name =
          command[0] === "CLIENT" || command[0] === "SCRIPT" ? `${command[0]} ${command[1]}` : command[0]
        for (const spelling of spellings(command)) {
          for (const attempt of attempts(connector, spelling)) {
            const error = yield* Effect.flip(attempt)
            if (!(error instanceof CommandRefused)) return expect.unreachable(`${command}: ${error._tag}`)
            expect(error.command).toBe(name)
            expect(error.instead).not.toBe("")
            expect(error.message).not.toContain("secret")
          }
        }
      }
      expect(yield* node.counts).toEqual(before)
      expect(yield* connector.stats).toMatchObject({ commands: 0, pending: 0, reconnects: 0 })
      expect(yield* connector.command(["INCR", "served"])).toBe(1)
    })
  )

  it.live("and its kin that do neither are not", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* ConnectorWire4.make({ host: node.host, port: node.port })
      yield* connector.command(["XADD", "stream", "1-1", "field", "value"])
      yield* connector.command(["XGROUP", "CREATE", "stream", "BLOCK", "0"])
      // `BLOCK` is a key, a group and a consumer here.
      yield* connector.command(["XREAD", "STREAMS", "stream", "BLOCK", "0", "0"])
      yield* connector.command(["XREADGROUP", "GROUP", "BLOCK", "BLOCK", "STREAMS", "stream", ">"])
      yield* connector.command(["CLIENT", "ID"])
      yield* connector.command(["CLIENT", "GETNAME"])
      yield* connector.command(["SCRIPT", "LOAD", "return 1"])
      yield* connector.command(["LPOP", "AUTH"])
      yield* connector.command(["SET", "AUTH", "HELLO"])
      yield* connector.command(["PUBLISH", "channel", "RESET"])
    })
  )
})

describe("the pin holds though a caller has tried to log in again", () => {
  it.live.each(authentications)("$name: under writes, when the node is replaced", (authentication) =>
    Effect.gen(function* () {
      let tried = 0
      let sent = 0
      const { connector, node, writers } = yield* underWrites(authentication, (connector) => {
        const every = [...authentication.logins, ...logins]
          .flatMap(spellings)
          .flatMap((command) => attempts(connector, command))
        return Effect.suspend(() => {
          const attempt = every[tried++ % every.length]
          if (attempt === undefined) return Effect.void
          return Effect.matchEffect(attempt, {
            onSuccess: () => Effect.sync(() => sent++),
            onFailure: (error) => Effect.sync(() => (error instanceof CommandRefused ? 0 : sent++))
          })
        })
      })
      yield* until(
        "each was tried",
        Effect.sync(() => tried),
        (tried) => tried > 500
      )
      yield* node.replace({ args: authentication.args, seed: [["SET", VERSION_KEY, WIRE_6]] })
      const error = yield* expectFenced(node, connector, writers)
      expect(error.got).toBe(WIRE_6)
      expect(sent).toBe(0)
    })
  )

  // Here the driver has the time to come back by itself, and so would if it knew how to log in.
  const idle = authentications.flatMap((authentication) =>
    authentication.logins.map((login) => ({ ...authentication, login }))
  )

  it.live.each(idle)(
    "$name: while idle, when the connection is cut, after $login.0",
    ({ args, login, options }) =>
      Effect.gen(function* () {
        const node = yield* TestNode.make({ args })
        const connector = yield* ConnectorWire4.make({ ...options, host: node.host, port: node.port })
        for (const spelling of spellings(login)) yield* Effect.result(connector.command(spelling))
        yield* changeUnderneath(node)
        yield* Effect.sleep(300)
        const error = yield* expectFenced(node, connector, yield* write(connector))
        expect(error.got).toBe(WIRE_6)
      })
  )
})
