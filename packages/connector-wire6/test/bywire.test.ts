import { ConnectorWire4 } from "@echomq/connector-wire4"
import {
  type AuthRefused,
  type BootRefused,
  type ClientRule,
  type ConnectFailed,
  Connector,
  type EmqAbsent,
  type EmqVersion,
  VERSION_KEY,
  type VersionFence,
  WIRE_4,
  WIRE_6
} from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { append } from "@echomq/test-node/transitions"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Layer } from "effect"
import { ConnectorWire6 } from "../src/index.ts"
import { withModule } from "./support/nodes.ts"
import { executed } from "./support/statistics.ts"

type Node = TestNode["Service"]

const within =
  (env: Readonly<Record<string, string>>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))

/** An application: it knows no wire. */
const program = Effect.gen(function* () {
  const connector = yield* Connector
  const first = yield* connector.run(append, ["emq:{q}:events"], ["one"])
  const second = yield* connector.run(append, ["emq:{q}:events"], ["two"])
  return { wire: connector.wire, lengths: [first, second] }
})

const live = Connector.layerByWire({ 4: ConnectorWire4.layerConfig(), 6: ConnectorWire6.layerConfig() })

const dies: Layer.Layer<Connector> = Layer.effect(Connector, Effect.die("it was built"))

const address = (node: Node) => ({ EMQ_HOST: node.host, EMQ_PORT: String(node.port) })

describe("one program, on the wire that the environment names", () => {
  it.live.each([
    ["by default on 4", {}],
    ["where it is empty on 4", { EMQ_WIRE: "" }],
    ["on 4", { EMQ_WIRE: "4" }]
  ] as const)("%s", ([, wire]) =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const result = yield* program.pipe(Effect.provide(live), within({ ...wire, ...address(node) }))
      expect(result).toEqual({ wire: 4, lengths: [1, 2] })
      expect(yield* node.admin("GET", VERSION_KEY)).toBe(WIRE_4)
      expect((yield* executed(node))["emq.version"]).toBe(undefined)
    })
  )

  it.live("on 6", () =>
    Effect.gen(function* () {
      const node = yield* withModule({ seed: [["SET", VERSION_KEY, WIRE_6]] })
      const env = { EMQ_WIRE: "6", ...address(node) }
      expect(yield* program.pipe(Effect.provide(live), within(env))).toEqual({ wire: 6, lengths: [1, 2] })
      expect(yield* executed(node)).toMatchObject({ "emq.version": 1, "emq.append": 2, get: 3 })
      expect((yield* executed(node)).evalsha).toBe(undefined)
    })
  )

  it.live("fails as that wire does on a node that holds the other", () =>
    Effect.gen(function* () {
      const node = yield* withModule({ seed: [["SET", VERSION_KEY, WIRE_6]] })
      const refused = yield* Effect.flip(program.pipe(Effect.provide(live), within(address(node))))
      expect(refused).toMatchObject({ _tag: "VersionFence", expected: WIRE_4, got: WIRE_6 })
      yield* node.replace({})
      const absent = yield* Effect.flip(
        program.pipe(Effect.provide(live), within({ EMQ_WIRE: "6", ...address(node) }))
      )
      expect(absent._tag).toBe("EmqAbsent")
      expect(yield* node.writes).toBe(0)
    })
  )
})

describe("only the layer chosen is built", () => {
  const served = (wire: 4 | 6) => Layer.succeed(Connector, { wire } as unknown as Connector["Service"])
  const wireOf = Effect.map(Connector, ({ wire }) => wire)

  it.effect.each([
    ["by default", {}, 4],
    ["4", { EMQ_WIRE: "4" }, 4],
    ["6", { EMQ_WIRE: "6" }, 6]
  ] as const)("%s", ([, env, wire]) =>
    Effect.gen(function* () {
      const layer =
        wire === 4
          ? Connector.layerByWire({ 4: served(4), 6: dies })
          : Connector.layerByWire({ 4: dies, 6: served(6) })
      expect(yield* wireOf.pipe(Effect.provide(layer), within(env))).toBe(wire)
    })
  )

  it.effect("and it is built once for all who are provided with it", () =>
    Effect.gen(function* () {
      let built = 0
      const counted = Layer.effect(
        Connector,
        Effect.sync(() => {
          built++
          return { wire: 6 } as unknown as Connector["Service"]
        })
      )
      const layer = Connector.layerByWire({ 4: dies, 6: counted })
      const users = Layer.mergeAll(
        Layer.effectDiscard(wireOf).pipe(Layer.provide(layer)),
        Layer.effectDiscard(wireOf).pipe(Layer.provide(layer))
      )
      yield* Effect.scoped(Layer.build(users)).pipe(within({ EMQ_WIRE: "6" }))
      expect(built).toBe(1)
    })
  )
})

describe("any other wire is a configuration error that lists those there are", () => {
  it.effect.each(["5", "44", "4.0", " ", "six", "echomq:6.0.0", "46", "-4", "4\n6"])("%j", (value) =>
    Effect.gen(function* () {
      const layer = Connector.layerByWire({ 4: dies, 6: dies })
      const error = yield* Effect.flip(
        Effect.map(Connector, ({ wire }) => wire).pipe(Effect.provide(layer), within({ EMQ_WIRE: value }))
      )
      expect(error).toBeInstanceOf(Config.ConfigError)
      expect(error.message).toContain('"4"')
      expect(error.message).toContain('"6"')
      expect(error.message).toContain("EMQ_WIRE")
    })
  )
})

describe("the types", () => {
  type Fatal = AuthRefused | BootRefused | VersionFence
  type Errors = ConnectFailed | Fatal | EmqAbsent | EmqVersion | ClientRule | Config.ConfigError

  it("of the layer are the errors of either wire", () => {
    expectTypeOf<Layer.Error<typeof live>>().toEqualTypeOf<Errors>()
    expectTypeOf<Layer.Success<typeof live>>().toEqualTypeOf<Connector>()
    expectTypeOf<Layer.Services<typeof live>>().toEqualTypeOf<never>()
  })

  it("need what either layer needs", () => {
    interface Secret {
      readonly _: unique symbol
    }
    const needs = {} as Layer.Layer<Connector, "own", Secret>
    const layer = () => Connector.layerByWire({ 4: dies, 6: needs })
    expectTypeOf<Layer.Error<ReturnType<typeof layer>>>().toEqualTypeOf<"own" | Config.ConfigError>()
    expectTypeOf<Layer.Services<ReturnType<typeof layer>>>().toEqualTypeOf<Secret>()
  })

  it("require both", () => {
    // @ts-expect-error There is no layer of wire 6.
    const one = () => Connector.layerByWire({ 4: dies })
    expectTypeOf(one).toBeFunction()
  })
})
