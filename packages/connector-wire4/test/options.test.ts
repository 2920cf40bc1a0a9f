import { inspect } from "node:util"
import { TestNode } from "@echomq/test-node"
import { shownForms } from "@echomq/test-node/secrets"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Redacted, Result } from "effect"
import { ConnectorWire4, type Options } from "../src/index.ts"
import { resolve } from "../src/link/Options.ts"
import { parseUrl } from "../src/link/Url.ts"

const settings = (options: Options) => Effect.runSync(resolve(options))

const duration = /must be a duration from 1 ms to 2147483647 ms$/

/** Values that each option refuses, and what is said of them. */
const refused: ReadonlyArray<readonly [option: string, invalid: ReadonlyArray<unknown>, detail: RegExp]> = [
  ["host", ["", " ", "two words", "a\0b", "a\nb"], /must be a name or an address$/],
  ["port", [0, -1, 65_536, 1.5, Number.NaN, "6379"], /must be a whole number from 1 to 65535$/],
  ["database", [-1, 0.5, Number.NaN, 2 ** 31, "1"], /must be a whole number from 0 to/],
  ["clientName", [""], /must not be empty$/],
  [
    "pendingLimit",
    [0, -1, 1.5, Number.POSITIVE_INFINITY, 10_000_001],
    /must be a whole number from 1 to 10000000$/
  ],
  ["connectTimeout", [0, -1, Number.NaN, Duration.infinity, 2 ** 31, "soon"], duration],
  ["commandTimeout", [0, -1, Number.NaN, Duration.infinity, 2 ** 31, "soon"], duration],
  ["heartbeat", [0, -1, Number.NaN, Duration.infinity, 2 ** 31, "soon"], duration],
  ["linkTimeout", [0, -1, Number.NaN, Duration.infinity, 2 ** 31, "soon"], duration]
]

const brokenUrls: ReadonlyArray<readonly [url: string, problem: string]> = [
  ["", "url is not a URL"],
  ["sekrit", "url is not a URL"],
  ["//user:sekrit@host", "url is not a URL"],
  ["valkey://user:sekrit@host:port", "url is not a URL"],
  ["valkey://user:sekrit@host:65536", "url is not a URL"],
  ["valkey://user:sek#rit@host", "url is not a URL"],
  ["valkey://user:sekrit@two words", "url is not a URL"],
  ["valkey://user:sekrit@[::1", "url is not a URL"],
  ["http://user:sekrit@host", "url must start with valkey:, redis:, valkeys: or rediss:"],
  ["unix:///sekrit", "url must start with valkey:, redis:, valkeys: or rediss:"],
  ["valkey:sekrit", "url names no host"],
  ["valkey:///1", "url names no host"],
  ["valkey://user:sekrit%zz@host", "url has a broken percent escape"],
  ["valkey://user:sekrit%ff@host", "url has a broken percent escape"],
  ["valkey://us%er:sekrit@host", "url has a broken percent escape"],
  ["valkey://user:sekrit@host/one", "url must name the database by its number"],
  ["valkey://user:sekrit@host/1/2", "url must name the database by its number"],
  ["valkey://user:sekrit@host/-1", "url must name the database by its number"],
  ["valkey://user:sekrit@host/1?password=sekrit", "url must not have a query or a fragment"],
  ["valkey://user:sekrit@host/1#sekrit", "url must not have a query or a fragment"]
]

const expectOptionsRefused = Effect.fnUntraced(function* (options: Options, detail: string | RegExp) {
  const error = yield* Effect.flip(Effect.scoped(ConnectorWire4.make(options)))
  expect(error).toMatchObject({ _tag: "ConnectFailed", reason: "options" })
  if (error._tag === "ConnectFailed") expect(error.detail).toMatch(detail)
  expect(error.message).toContain("the options cannot be used")
  for (const shown of shownForms(error)) expect(shown).not.toContain("sekrit")
})

describe("an option that cannot be used", () => {
  for (const [option, invalid, detail] of refused) {
    for (const value of invalid) {
      it.live(`is named: ${option} ${inspect(value)}`, () =>
        Effect.andThen(
          expectOptionsRefused({ [option]: value }, new RegExp(`^${option} ${detail.source}`)),
          expectOptionsRefused({ [option]: value, password: Redacted.make("sekrit") }, detail)
        )
      )
    }
  }

  for (const part of ["base", "max"]) {
    it.live(`is named: backoff.${part}`, () =>
      expectOptionsRefused({ backoff: { [part]: 0 } }, new RegExp(`^backoff\\.${part} ${duration.source}`))
    )
  }

  for (const [url, problem] of brokenUrls) {
    it.live(`is named, and nothing of it repeated: url ${JSON.stringify(url)}`, () =>
      Effect.andThen(
        expectOptionsRefused({ url }, problem),
        expectOptionsRefused({ url: Redacted.make(url) }, problem)
      )
    )
  }

  it.live("is refused before anything is tried", () =>
    Effect.gen(function* () {
      const { connectionsReceived, host, port } = yield* TestNode.make()
      yield* expectOptionsRefused({ host, port, pendingLimit: 0 }, "pendingLimit")
      yield* expectOptionsRefused({ host, port, commandLimit: 0 }, "commandLimit")
      expect(yield* connectionsReceived).toBe(0)
    })
  )
})

describe("the defaults", () => {
  it("are those of the documentation", () => {
    expect(settings({})).toMatchObject({
      target: { host: "127.0.0.1", port: 6379, tls: null, connectTimeout: 5_000, requestTimeout: 5_000 },
      credentials: null,
      database: 0,
      clientName: undefined,
      backoff: { base: 100, max: 2_000 },
      heartbeat: 5_000,
      linkTimeout: 10_000,
      commandTimeout: 5_000,
      pendingLimit: 10_000,
      commandLimit: 67_108_864
    })
  })

  it("stand in for what is undefined", () => {
    expect(settings({ url: undefined, host: undefined, tls: undefined, commandTimeout: undefined })).toEqual(
      settings({})
    )
  })

  it("leave what is given", () => {
    expect(
      settings({
        host: "::1",
        port: 1,
        tls: { ca: "PEM" },
        database: 15,
        clientName: "emq",
        backoff: { base: "1 second", max: Duration.minutes(1) },
        connectTimeout: 1,
        commandTimeout: "2 seconds",
        heartbeat: 3,
        linkTimeout: Duration.days(1),
        pendingLimit: 1
      })
    ).toMatchObject({
      target: { host: "::1", port: 1, tls: { ca: "PEM" }, connectTimeout: 1, requestTimeout: 2_000 },
      database: 15,
      clientName: "emq",
      backoff: { base: 1_000, max: 60_000 },
      commandTimeout: 2_000,
      linkTimeout: 86_400_000,
      pendingLimit: 1
    })
  })
})

const parsed = (url: string) => {
  const { password, ...rest } = Result.getOrThrow(parseUrl(url))
  return { ...rest, ...(password === undefined ? {} : { password: Redacted.value(password) }) }
}

describe("a URL", () => {
  const forms: ReadonlyArray<readonly [url: string, parts: object]> = [
    ["valkey://host", { host: "host" }],
    ["redis://host", { host: "host" }],
    ["valkeys://host", { host: "host", tls: true }],
    ["rediss://host", { host: "host", tls: true }],
    ["VALKEY://Host/", { host: "Host" }],
    ["valkey://host:6380", { host: "host", port: 6380 }],
    ["valkey://host/2", { host: "host", database: 2 }],
    ["valkey://127.0.0.1:1/0", { host: "127.0.0.1", port: 1, database: 0 }],
    ["valkey://[::1]:6380/1", { host: "::1", port: 6380, database: 1 }],
    ["valkey://[fe80::1]", { host: "fe80::1" }],
    ["valkey://user@host", { host: "host", username: "user" }],
    ["valkey://:pass@host", { host: "host", password: "pass" }],
    ["valkey://user:pass@host", { host: "host", username: "user", password: "pass" }],
    ["valkey://us%40er:p%3Aa%2Fs%25s%23@host", { host: "host", username: "us@er", password: "p:a/s%s#" }],
    ["valkey://user:p:a:s:s@host", { host: "host", username: "user", password: "p:a:s:s" }],
    ["valkey://user:p@ss@host", { host: "host", username: "user", password: "p@ss" }],
    ["valkey://%C3%A9:%F0%9F%98%80@host", { host: "host", username: "é", password: "😀" }],
    ["valkey://é:😀@host", { host: "host", username: "é", password: "😀" }],
    ["valkey://user:%20a+b @host", { host: "host", username: "user", password: " a+b " }]
  ]
  for (const [url, parts] of forms) it(`says what it names: ${url}`, () => expect(parsed(url)).toEqual(parts))

  it("gives way to a field of its own", () => {
    const url = "valkeys://user:pass@host:6380/2"
    const whole = settings({ url })
    expect(whole.target).toMatchObject({ host: "host", port: 6380, tls: {} })
    expect(whole).toMatchObject({ database: 2, credentials: { username: "user" } })
    const password = Redacted.make("other")
    const fields = settings({
      url,
      host: "other",
      port: 1,
      username: "me",
      password,
      database: 0,
      tls: false
    })
    expect(fields.target).toMatchObject({ host: "other", port: 1, tls: null })
    expect(fields).toMatchObject({ database: 0, credentials: { username: "me" } })
    expect(Effect.runSync(fields.credentials?.password ?? Effect.die("no credentials"))).toBe(password)
    expect(settings({ url, tls: { ca: "PEM" } }).target.tls).toEqual({ ca: "PEM" })
    expect(settings({ url: "valkey://host", tls: true }).target.tls).toEqual({})
  })

  it("keeps its password to itself", () => {
    const shown = inspect(settings({ url: "valkey://user:sekrit@host" }), { depth: 9, showHidden: true })
    expect(shown).not.toContain("sekrit")
  })
})
