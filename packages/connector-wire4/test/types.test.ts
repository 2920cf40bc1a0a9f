import {
  type AuthRefused,
  type BootRefused,
  type ConnectFailed,
  Connector,
  type VersionFence
} from "@echomq/keyspace"
import { describe, expectTypeOf, it } from "@effect/vitest"
import { type Config, Effect, type Layer, type Scope } from "effect"
import { ConnectorWire4, type Options } from "../src/index.ts"

type ConnectError = AuthRefused | BootRefused | ConnectFailed | VersionFence

type ErrorOf<L> = L extends Layer.Layer<infer _, infer E, infer __> ? E : never
type NeedsOf<L> = L extends Layer.Layer<infer _, infer __, infer R> ? R : never
type Made = ReturnType<typeof ConnectorWire4.make>

const one = Effect.scoped(ConnectorWire4.make())

describe("the types", () => {
  it("of the layer name every way in which it fails, and no other", () => {
    expectTypeOf<ErrorOf<ReturnType<typeof ConnectorWire4.layer>>>().toEqualTypeOf<ConnectError>()
    expectTypeOf<NeedsOf<ReturnType<typeof ConnectorWire4.layer>>>().toEqualTypeOf<never>()
    expectTypeOf(ConnectorWire4.layer()).toExtend<Layer.Layer<Connector, ConnectError>>()
    expectTypeOf<Effect.Error<Made>>().toEqualTypeOf<ConnectError>()
    expectTypeOf<Effect.Services<Made>>().toEqualTypeOf<Scope.Scope>()
    expectTypeOf<Effect.Success<Made>>().toEqualTypeOf<Connector["Service"]>()
  })

  it("of the configured layer add the configuration's error", () => {
    expectTypeOf<ErrorOf<ReturnType<typeof ConnectorWire4.layerConfig>>>().toEqualTypeOf<
      ConnectError | Config.ConfigError
    >()
    expectTypeOf<NeedsOf<ReturnType<typeof ConnectorWire4.layerConfig>>>().toEqualTypeOf<never>()
  })

  it("narrow by the tag of each", () => {
    Effect.catchTag(one, "AuthRefused", (error) => {
      expectTypeOf(error).toEqualTypeOf<AuthRefused>()
      expectTypeOf(error.fatal).toEqualTypeOf<"auth_refused">()
      return Effect.void
    })
    Effect.catchTag(one, "BootRefused", (error) => {
      expectTypeOf(error).toEqualTypeOf<BootRefused>()
      expectTypeOf(error.fatal).toEqualTypeOf<"boot_refused">()
      expectTypeOf(error.step).toEqualTypeOf<"pin" | "select" | "setname">()
      return Effect.void
    })
    Effect.catchTag(one, "VersionFence", (error) => {
      expectTypeOf(error).toEqualTypeOf<VersionFence>()
      expectTypeOf(error.fatal).toEqualTypeOf<"version_fence">()
      expectTypeOf(error.got).toEqualTypeOf<string | null>()
      return Effect.void
    })
    Effect.catchTag(one, "ConnectFailed", (error) => {
      expectTypeOf(error).toEqualTypeOf<ConnectFailed>()
      expectTypeOf(error).not.toHaveProperty("fatal")
      return Effect.void
    })
  })

  it("leave what is not caught, and nothing once all is", () => {
    const rest = Effect.catchTag(one, "ConnectFailed", () => Effect.void)
    expectTypeOf<Effect.Error<typeof rest>>().toEqualTypeOf<AuthRefused | BootRefused | VersionFence>()
    const all = Effect.catchTags(one, {
      AuthRefused: () => Effect.void,
      BootRefused: () => Effect.void,
      ConnectFailed: () => Effect.void,
      VersionFence: () => Effect.void
    })
    expectTypeOf<Effect.Error<typeof all>>().toEqualTypeOf<never>()
  })

  it("refuse the tag of an error that wire 4 cannot meet", () => {
    // @ts-expect-error The module's errors are wire 6's.
    Effect.catchTag(one, "EmqAbsent", () => Effect.void)
  })

  it("reach a program that is provided with the layer", () => {
    const program = Effect.provide(
      Effect.gen(function* () {
        return (yield* Connector).wire
      }),
      ConnectorWire4.layer()
    )
    expectTypeOf(program).toEqualTypeOf<Effect.Effect<4 | 6, ConnectError>>()
  })

  it("take a password in a wrapper only", () => {
    // @ts-expect-error A bare string would be shown by whatever prints the options.
    const options: Options = { password: "secret" }
    expectTypeOf(options).toEqualTypeOf<Options>()
  })
})
