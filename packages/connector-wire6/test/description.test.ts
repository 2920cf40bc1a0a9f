import { VERSION_KEY } from "@echomq/keyspace"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { dial } from "./support/client.ts"
import { withModule } from "./support/nodes.ts"
import type { Wire } from "./support/resp.ts"
import { COMMANDS, VERBS } from "./support/verbs.ts"

describe("the server's own description", () => {
  const verb = {
    arity: -3,
    flags: ["write", "denyoom", "module", "movablekeys"],
    categories: ["@write", "@slow"]
  }
  const reader = {
    arity: 1,
    flags: ["readonly", "module", "stale", "fast"],
    categories: ["@read", "@fast"]
  }
  const expected: Readonly<Record<string, typeof verb>> = {
    ...Object.fromEntries(VERBS.map((name) => [name.toLowerCase(), verb])),
    "emq.install": {
      arity: 3,
      flags: ["write", "denyoom", "module", "admin", "noscript"],
      categories: ["@write", "@admin", "@slow", "@dangerous"]
    },
    "emq.version": reader,
    "tra.capabilities": reader
  }

  it.live("COMMAND INFO: arity, flags and categories of each command", () =>
    Effect.gen(function* () {
      const client = yield* dial(yield* withModule())
      const infos = (yield* client.call("COMMAND", "INFO", ...COMMANDS)) as ReadonlyArray<ReadonlyArray<Wire>>
      expect(
        Object.fromEntries(
          infos.map(([name, arity, flags, , , , categories]) => [name, { arity, flags, categories }])
        )
      ).toEqual(expected)
    })
  )

  it.live("COMMAND LIST: the module has these commands and no other, in these categories", () =>
    Effect.gen(function* () {
      const client = yield* dial(yield* withModule())
      const list = (...filter: ReadonlyArray<string>) =>
        Effect.map(client.call("COMMAND", "LIST", "FILTERBY", ...filter), (names) =>
          (names as ReadonlyArray<string>).filter((name) => /^(emq|tra)\./.test(name)).toSorted()
        )
      expect(yield* list("MODULE", "trafikey")).toEqual(Object.keys(expected).toSorted())
      for (const category of [
        "read",
        "write",
        "admin",
        "dangerous",
        "slow",
        "fast",
        "keyspace",
        "connection"
      ]) {
        const members = Object.entries(expected).filter(([, { categories }]) =>
          categories.includes(`@${category}`)
        )
        expect(yield* list("ACLCAT", category)).toEqual(members.map(([name]) => name).toSorted())
      }
    })
  )

  it.live("ACL: a category gives and takes what COMMAND INFO says, as ACL DRYRUN shows", () =>
    Effect.gen(function* () {
      const client = yield* dial(yield* withModule())
      const calls = COMMANDS.map((name) =>
        name === "EMQ.VERSION" || name === "TRA.CAPABILITIES"
          ? [name]
          : [name, "1", name === "EMQ.INSTALL" ? VERSION_KEY : "emq:{q}:x"]
      )
      const categories = (yield* client.call("ACL", "CAT")) as ReadonlyArray<string>
      expect(categories).toEqual(
        expect.arrayContaining(["read", "write", "admin", "dangerous", "slow", "fast"])
      )
      for (const category of categories) {
        yield* client.call("ACL", "SETUSER", "with", "reset", "~*", "-@all", `+@${category}`)
        yield* client.call("ACL", "SETUSER", "without", "reset", "~*", "+@all", `-@${category}`)
        for (const call of calls) {
          const member = expected[call[0]?.toLowerCase() ?? ""]?.categories.includes(`@${category}`) === true
          const allowed = (user: string) =>
            Effect.map(client.call("ACL", "DRYRUN", user, ...call), (reply) => reply === "OK")
          expect([category, call[0], yield* allowed("with")]).toEqual([category, call[0], member])
          expect([category, call[0], yield* allowed("without")]).toEqual([category, call[0], !member])
        }
      }
    })
  )

  it.live("COMMAND GETKEYSANDFLAGS: the keys of a call, read and written", () =>
    Effect.gen(function* () {
      const client = yield* dial(yield* withModule())
      for (const name of VERBS) {
        expect(
          yield* client.call("COMMAND", "GETKEYSANDFLAGS", name, 2, "emq:{q}:a", "emq:{q}:b", "emq:{q}:c")
        ).toEqual([
          ["emq:{q}:a", ["RW", "access", "update"]],
          ["emq:{q}:b", ["RW", "access", "update"]]
        ])
      }
      expect(yield* client.call("COMMAND", "GETKEYSANDFLAGS", "EMQ.INSTALL", 1, VERSION_KEY)).toEqual([
        [VERSION_KEY, ["RW", "access", "insert"]]
      ])
    })
  )
})
