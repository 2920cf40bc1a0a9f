import { VERSION_KEY, WIRE_6 } from "@echomq/keyspace"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { dial } from "./support/client.ts"
import { replicated, withModule } from "./support/nodes.ts"
import { encode } from "./support/resp.ts"
import { keys } from "./support/statistics.ts"
import { VERBS } from "./support/verbs.ts"

describe("what a verb writes", () => {
  it.live("reaches a replica that has no module, entry for entry", () =>
    Effect.gen(function* () {
      const { primary, replica } = yield* replicated({})
      const client = yield* dial(primary)
      yield* client.call("EMQ.INSTALL", 1, VERSION_KEY)
      for (const verb of VERBS) yield* client.call(verb, 1, "emq:{q}:pending", "a\r\nb")
      yield* until(
        "the replica has it",
        replica.admin("LLEN", "emq:{q}:journal"),
        (length) => length === VERBS.length
      )
      expect(yield* replica.admin("LRANGE", "emq:{q}:journal", 0, -1)).toEqual(
        VERBS.map((verb) => encode([verb, 1, "emq:{q}:pending", "a\r\nb"]).toString())
      )
    })
  )

  it.live.each([
    ["on a replica", /^READONLY /],
    ["where memory is short", /^OOM /]
  ] as const)("is nothing %s", ([where, words]) =>
    Effect.gen(function* () {
      const seed = [["SET", VERSION_KEY, WIRE_6]]
      const node = yield* withModule({
        seed,
        ...(where === "on a replica" ? {} : { args: ["--maxmemory", "1"] })
      })
      if (where === "on a replica") yield* node.admin("REPLICAOF", "127.0.0.1", 1)
      const client = yield* dial(node)
      for (const verb of VERBS) expect(yield* client.refusal(verb, 1, "emq:{q}:pending")).toMatch(words)
      expect(yield* keys(node)).toEqual([VERSION_KEY])
    })
  )
})
