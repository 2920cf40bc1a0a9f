import type { Options } from "@echomq/connector-wire4"
import type {
  AuthRefused,
  BootRefused,
  ClientRule,
  ConnectFailed,
  EmqAbsent,
  EmqVersion,
  ModuleVersion,
  VersionFence
} from "@echomq/keyspace"
import { Connector, VERSION_KEY, WIRE_6 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { type Config, Effect, type Layer } from "effect"
import { ConnectorWire6, type Options as Options6 } from "../src/index.ts"

type Errors = ConnectFailed | AuthRefused | BootRefused | EmqAbsent | EmqVersion | ClientRule | VersionFence

describe("the layer", () => {
  it("fails with these errors, and no other", () => {
    type L = ReturnType<typeof ConnectorWire6.layer>
    expectTypeOf<Layer.Error<L>>().toEqualTypeOf<Errors>()
    expectTypeOf<Layer.Services<L>>().toEqualTypeOf<never>()
    expectTypeOf<Layer.Success<L>>().toEqualTypeOf<Connector | ConnectorWire6.ConnectorWire6>()
    expectTypeOf<ConnectorWire6.ConnectError>().toEqualTypeOf<Errors>()
  })

  it("fails with these and a bad configuration, where it is configured", () => {
    type L = ReturnType<typeof ConnectorWire6.layerConfig>
    expectTypeOf<Layer.Error<L>>().toEqualTypeOf<Errors | Config.ConfigError>()
    expectTypeOf<Layer.Success<L>>().toEqualTypeOf<Connector | ConnectorWire6.ConnectorWire6>()
    expectTypeOf<Layer.Services<L>>().toEqualTypeOf<never>()
  })

  it("takes the options of wire 4", () => {
    expectTypeOf<Options6>().toEqualTypeOf<Options>()
    expectTypeOf<Parameters<typeof ConnectorWire6.layer>[0]>().toEqualTypeOf<Options | undefined>()
  })

  it("its service is a connector that knows the module", () => {
    type Service = ConnectorWire6.ConnectorWire6["Service"]
    expectTypeOf<Service>().toExtend<Connector["Service"]>()
    expectTypeOf<Service["module"]>().toEqualTypeOf<Effect.Effect<ModuleVersion.ModuleReport>>()
    expectTypeOf<Exclude<keyof Service, keyof Connector["Service"]>>().toEqualTypeOf<"module">()
  })

  it.live("provides both, by one connector", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ module: modulePath(), seed: [["SET", VERSION_KEY, WIRE_6]] })
      yield* Effect.gen(function* () {
        const connector = yield* Connector
        const own = yield* ConnectorWire6.ConnectorWire6
        expect(own).toBe(connector)
        expect(own.wire).toBe(6)
        expect(yield* connector.command(["EMQ.CLAIM", 1, "emq:{q}:pending"])).toBe(1)
        expect((yield* own.module).module).toBe("trafikey")
        expect((yield* node.counts)["emq.version"]?.calls).toBe(1)
      }).pipe(Effect.provide(ConnectorWire6.layer({ host: node.host, port: node.port })))
      expect(yield* node.writes).toBe(2)
    })
  )
})
