import { ConnectorWire4 } from "@echomq/connector-wire4"
import {
  BUS,
  CapabilityAbsent,
  JOB_CORE,
  type Reply,
  script,
  type TransitionError,
  transition,
  VERSION_KEY,
  WIRE_6
} from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { append, claim, conformance, publish } from "@echomq/test-node/transitions"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { ConnectorWire6 } from "../src/index.ts"
import { scripted } from "./support/links.ts"
import { withModule } from "./support/nodes.ts"
import { VERBS } from "./support/verbs.ts"

conformance(
  4,
  Effect.gen(function* () {
    const node = yield* TestNode.make()
    return { node, connector: yield* ConnectorWire4.make({ host: node.host, port: node.port }) }
  })
)

const native = Effect.gen(function* () {
  const node = yield* withModule({ seed: [["SET", VERSION_KEY, WIRE_6]] })
  return { node, connector: yield* ConnectorWire6.make({ host: node.host, port: node.port }) }
})

conformance(6, native)

describe("each executor runs its own form", () => {
  it.live("wire 4 the script, by its digest", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const connector = yield* ConnectorWire4.make({ host: node.host, port: node.port })
      for (let i = 1; i <= 10; i++) yield* connector.run(append, ["emq:{q}:events"], ["x"])
      const { evalsha, rpush, ...counts } = yield* node.executed
      expect({ evalsha, rpush }).toEqual({ evalsha: 11, rpush: 10 })
      expect(counts["script|load"]).toBe(1)
      expect(Object.keys(counts).filter((name) => name.startsWith("emq."))).toEqual([])
    })
  )

  it.live("wire 6 the verb, and no script", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* native
      for (let i = 1; i <= 10; i++) yield* connector.run(append, ["emq:{q}:events"], ["x"])
      const { evalsha, "emq.append": verb, "script|load": loads } = yield* node.executed
      expect({ evalsha, verb, loads }).toEqual({ evalsha: undefined, verb: 10, loads: undefined })
    })
  )

  it.live("wire 6 has every verb of the module's table", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* native
      const tokens = [...JOB_CORE, ...BUS].filter((token) => token !== "claim.pause")
      expect(tokens.length).toBe(VERBS.length)
      for (const [i, capability] of tokens.entries()) {
        const declared = transition({
          name: capability,
          keys: 1,
          args: Schema.Tuple([]),
          result: Schema.Int,
          scripted: script("return 0"),
          native: { verb: VERBS[i] ?? "EMQ.", capability }
        })
        expect(yield* connector.run(declared, ["emq:{q}:x"], [])).toBe(i + 1)
      }
      expect(yield* node.admin("LLEN", "emq:{q}:journal")).toBe(VERBS.length)
    })
  )
})

describe("a token that the node's module does not list", () => {
  /** The reply to `EMQ.VERSION` of a module whose bus is not there: the client rule lets it pass. */
  const withoutBus: Reply = {
    wire: WIRE_6,
    module: "trafikey",
    module_version: "0.1.0",
    module_major: 0,
    build: null,
    capabilities: JOB_CORE
  }
  const answers: Record<string, Reply> = { "EMQ.VERSION": withoutBus, GET: WIRE_6, "EMQ.CLAIM": 1 }

  it.effect("fails the transition before anything is sent, and no other", () =>
    Effect.gen(function* () {
      const { result, sent } = yield* scripted(
        (command) => answers[command] ?? "OK",
        Effect.gen(function* () {
          const connector = yield* ConnectorWire6.make()
          const { commands } = yield* connector.stats
          const refused = yield* Effect.flip(connector.run(append, ["emq:{q}:events"], ["x"]))
          expect(refused).toEqual(new CapabilityAbsent({ transition: "append", capability: "append" }))
          const other = yield* Effect.flip(
            connector.run(publish, ["emq:{q}:a", "emq:{q}:b"], [new Uint8Array(), 1])
          )
          expect(other).toEqual(new CapabilityAbsent({ transition: "publish", capability: "publish" }))
          expect((yield* connector.stats).commands).toBe(commands)
          expect(yield* connector.run(claim, ["emq:{q}:pending"], [])).toBe(1)
          return yield* connector.status
        })
      )
      expect(Result.getOrThrow(result)._tag).toBe("Serving")
      expect(sent).toEqual([
        [["EMQ.VERSION"]],
        [["GET", VERSION_KEY]],
        [["EMQ.CLAIM", "1", "emq:{q}:pending"]]
      ])
    })
  )
})

describe("the types", () => {
  it("of a call are those of the transition", () => {
    type Run = ReturnType<typeof native.pipe>
    expectTypeOf<Run>().not.toBeNever()
    const call = Effect.flatMap(native, ({ connector }) => connector.run(append, ["k"], ["x"]))
    expectTypeOf<Effect.Success<typeof call>>().toEqualTypeOf<number>()
    expectTypeOf<Extract<Effect.Error<typeof call>, TransitionError>>().toEqualTypeOf<TransitionError>()
    Effect.flatMap(native, ({ connector }) =>
      // @ts-expect-error The argument is text.
      connector.run(append, ["k"], [1])
    )
  })
})
