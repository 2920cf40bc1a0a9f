import { Connector } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { shownForms } from "@echomq/test-node/secrets"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { ConnectorWire4, type Options } from "../src/index.ts"
import { fromConfig } from "../src/link/index.ts"

type Environment = Readonly<Record<string, string>>

const within =
  (env: Environment) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))

const configured = (env: Environment, options: Options = {}) =>
  Effect.gen(function* () {
    return yield* fromConfig(options)
  }).pipe(within(env), Effect.runSync)

/** Options as they are, with what is secret in the open. */
const open = ({ password, ...options }: Options) => ({
  ...options,
  ...(Redacted.isRedacted(password) ? { password: Redacted.value(password) } : {})
})

describe("the environment", () => {
  it("need not be there", () => {
    expect(configured({})).toEqual({})
    expect(configured({}, { host: "host", port: 1 })).toEqual({ host: "host", port: 1 })
    expect(configured({ EMQ_URL: "", EMQ_HOST: "", EMQ_PORT: "", EMQ_PASSWORD: "", EMQ_TLS: "" })).toEqual({})
  })

  it("names each part of the connection", () => {
    const env = {
      EMQ_HOST: "host",
      EMQ_PORT: "6380",
      EMQ_USERNAME: "user",
      EMQ_PASSWORD: "pass",
      EMQ_DATABASE: "2",
      EMQ_CLIENT_NAME: "emq",
      EMQ_TLS: "true"
    }
    expect(open(configured(env))).toEqual({
      host: "host",
      port: 6380,
      username: "user",
      password: "pass",
      database: 2,
      clientName: "emq",
      tls: true
    })
  })

  it("names them by a URL", () => {
    expect(open(configured({ EMQ_URL: "valkeys://us%40er:pass@[::1]:6380/2" }))).toEqual({
      host: "::1",
      port: 6380,
      username: "us@er",
      password: "pass",
      database: 2,
      tls: true
    })
  })

  it("decides over options, and a field of its own over the URL", () => {
    const options: Options = {
      url: "valkey://code:code@code:1/1",
      host: "code",
      port: 1,
      username: "code",
      password: Effect.succeed(Redacted.make("code")),
      database: 1,
      clientName: "code"
    }
    const url = { EMQ_URL: "valkey://env:env@env:2/2" }
    expect(open(configured(url, options))).toMatchObject({
      host: "env",
      port: 2,
      username: "env",
      password: "env",
      database: 2,
      clientName: "code"
    })
    expect(configured(url, options).url).toBe(undefined)
    expect(open(configured({ ...url, EMQ_HOST: "field", EMQ_DATABASE: "3" }, options))).toMatchObject({
      host: "field",
      port: 2,
      database: 3
    })
    expect(configured({ EMQ_URL: "valkey://env" }, options)).toMatchObject({ host: "env", username: "code" })
  })

  it("turns TLS on and off, and leaves whom to trust to the options", () => {
    const tls = { ca: "PEM" }
    expect(configured({ EMQ_TLS: "true" }, { tls }).tls).toEqual(tls)
    expect(configured({ EMQ_URL: "valkeys://env" }, { tls }).tls).toEqual(tls)
    expect(configured({ EMQ_URL: "valkey://env" }, { tls }).tls).toEqual(tls)
    expect(configured({ EMQ_TLS: "false" }, { tls }).tls).toBe(false)
    expect(configured({ EMQ_TLS: "true" }, { tls: false }).tls).toBe(true)
    expect(configured({ EMQ_URL: "valkeys://env", EMQ_TLS: "false" }).tls).toBe(false)
  })
})

describe("a value that cannot be used", () => {
  const broken: ReadonlyArray<readonly [key: string, value: string]> = [
    ["EMQ_URL", "sekrit"],
    ["EMQ_URL", "valkey://user:sekrit@host:port/1"],
    ["EMQ_URL", "valkey://user:sek#rit@host"],
    ["EMQ_URL", "http://user:sekrit@host"],
    ["EMQ_URL", "valkey://user:sekrit%@host"],
    ["EMQ_URL", "valkey://user:sekrit@host/one"],
    ["EMQ_URL", "valkey://host?password=sekrit"],
    ["EMQ_PORT", "0"],
    ["EMQ_PORT", "65536"],
    ["EMQ_PORT", "6379.5"],
    ["EMQ_PORT", "redis"],
    ["EMQ_DATABASE", "-1"],
    ["EMQ_DATABASE", "1.5"],
    ["EMQ_DATABASE", "one"],
    ["EMQ_TLS", "perhaps"]
  ]
  for (const [key, value] of broken) {
    it.live(`names its key, and no secret: ${key}=${value}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.scoped(
          Effect.provide(Connector, ConnectorWire4.layerConfig({ password: Redacted.make("sekrit") }))
        ).pipe(within({ [key]: value, EMQ_PASSWORD: "sekrit" }), Effect.flip)
        expect(error._tag).toBe("ConfigError")
        expect(error.message).toContain(key)
        for (const shown of shownForms(error)) expect(shown).not.toMatch(/sekrit|sek#/)
      })
    )
  }

  it.live("is an option's where the key says no more of it", () =>
    Effect.gen(function* () {
      for (const [env, option] of [
        [{ EMQ_HOST: "two words" }, "host"],
        [{ EMQ_DATABASE: "99999999999" }, "database"],
        [{ EMQ_URL: "valkey://host:0" }, "port"]
      ] as const) {
        const error = yield* Effect.flip(
          Effect.provide(Connector, ConnectorWire4.layerConfig()).pipe(within(env))
        )
        expect(error).toMatchObject({ _tag: "ConnectFailed", reason: "options" })
        expect(error.message).toContain(option)
      }
    })
  )
})

const user = ["--user", "e:q", "on", ">p@ss w/rd", "~*", "&*", "+@all", "--user", "default", "off"]

const whoAmI = Effect.gen(function* () {
  const connector = yield* Connector
  return yield* connector.command(["CLIENT", "INFO"])
})

describe("a connector that the environment configures", () => {
  it.live("connects by EMQ_URL, with its user, password and database", () =>
    Effect.gen(function* () {
      const { host, port } = yield* TestNode.make({ args: user })
      const env = { EMQ_URL: `redis://e%3Aq:p%40ss%20w%2Frd@${host}:${port}/5`, EMQ_CLIENT_NAME: "by-env" }
      const info = yield* Effect.provide(
        whoAmI,
        ConnectorWire4.layerConfig({ host: "nowhere.invalid" })
      ).pipe(within(env))
      expect(info).toMatch(/ name=by-env .* db=5 .* user=e:q /)
    })
  )

  it.live("connects by the keys of their own", () =>
    Effect.gen(function* () {
      const { host, port } = yield* TestNode.make({ args: user })
      const env = {
        EMQ_HOST: host,
        EMQ_PORT: String(port),
        EMQ_USERNAME: "e:q",
        EMQ_PASSWORD: "p@ss w/rd",
        EMQ_DATABASE: "6",
        EMQ_TLS: "false"
      }
      const info = yield* Effect.provide(whoAmI, ConnectorWire4.layerConfig()).pipe(within(env))
      expect(info).toMatch(/ db=6 .* user=e:q /)
    })
  )
})
