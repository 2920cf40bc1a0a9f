import { assert, describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import {
  CallError,
  Closed,
  CommandRefused,
  CommandTimeout,
  ConnectFailed,
  ConnectFailure,
  Disconnected,
  InexactInteger,
  Overloaded,
  ServerError
} from "../src/CallError.ts"
import { JOB_CORE } from "../src/Capability.ts"
import {
  AuthRefused,
  BootRefused,
  ClientRule,
  EmqAbsent,
  EmqVersion,
  FatalError,
  VersionFence
} from "../src/FatalError.ts"
import type { Machine } from "../src/fence/Machine.ts"
import { wire4 } from "../src/fence/Wire4.ts"
import { wire6 } from "../src/fence/Wire6.ts"
import type { Reply } from "../src/Reply.ts"
import { toBytes } from "../src/Utf8.ts"
import { WIRE_4 } from "../src/Wire.ts"
import { node, play, shipped } from "./model/Node.ts"

const fatal: ReadonlyArray<readonly [string, FatalError, string]> = [
  [
    "version_fence",
    new VersionFence({ expected: WIRE_4, got: null }),
    "expected echomq:4.0.0 but {emq}:version is absent"
  ],
  [
    "version_fence",
    new VersionFence({ expected: WIRE_4, got: "\\xff", bytes: new Uint8Array([0xff]) }),
    'expected echomq:4.0.0 but found "\\xff"'
  ],
  [
    "version_fence",
    new VersionFence({ expected: WIRE_4, got: null, error: ServerError.of("NOPERM no") }),
    "expected echomq:4.0.0 but {emq}:version is absent; the claim got: NOPERM no"
  ],
  [
    "auth_refused",
    new AuthRefused({ message: "NOAUTH Authentication required." }),
    "NOAUTH Authentication required."
  ],
  [
    "boot_refused",
    new BootRefused({ step: "select", message: "ERR DB index is out of range" }),
    "ERR DB index is out of range"
  ],
  [
    "emq_absent",
    new EmqAbsent({ message: "ERR unknown command 'EMQ.VERSION'" }),
    "ERR unknown command 'EMQ.VERSION'"
  ],
  ["emq_version", new EmqVersion({ message: "EMQ.VERSION replied null" }), "EMQ.VERSION replied null"],
  ["r14", new ClientRule({ missing: ["claim", "delay"] }), "missing claim delay"],
  [
    "r14",
    new ClientRule({
      wire: { expected: "echomq:6.0.0", got: "x" },
      major: { expected: 0, got: 1 },
      missing: []
    }),
    "expected wire echomq:6.0.0, found x; expected major 0, found 1"
  ]
]

const call: ReadonlyArray<readonly [CallError, string]> = [
  [new Disconnected({ outcome: "not-sent" }), "not connected: the command was not sent"],
  [
    new Disconnected({ outcome: "unknown" }),
    "the connection was lost: whether the command was executed is unknown"
  ],
  [
    new CommandRefused({ command: "SELECT", why: "it would move everyone", instead: "set database" }),
    "SELECT was not sent: it would move everyone; set database"
  ],
  [new Overloaded({ pending: 10_000, limit: 10_000 }), "10000 calls are waiting, and the limit is 10000"],
  [
    new CommandTimeout({ command: "GET", milliseconds: 5_000 }),
    "GET got no reply in 5000 ms: whether it was executed is unknown"
  ],
  [ServerError.of("WRONGTYPE Operation against a key"), "WRONGTYPE Operation against a key"],
  [
    new InexactInteger({ command: "INCR", near: 2 ** 53 }),
    "INCR was executed, but its integer reply (near 9007199254740992) is too large to be exact: read the value as text"
  ],
  [new Closed({}), "the connector is closed"]
]

const throughJson = <S extends Schema.Codec<unknown, unknown>>(schema: S, error: S["Type"]): S["Type"] => {
  const codec = Schema.toCodecJson(schema)
  const text = JSON.stringify(Result.getOrThrow(Schema.encodeUnknownResult(codec)(error)))
  return Result.getOrThrow(Schema.decodeUnknownResult(codec)(JSON.parse(text)))
}

const comesBack = <S extends Schema.Codec<Error, unknown>>(schema: S, error: S["Type"], message: string) => {
  expect(error.message).toBe(message)
  const back = throughJson(schema, error)
  expect(back).toEqual(error)
  expect(Object.getPrototypeOf(back)).toBe(Object.getPrototypeOf(error))
  expect(back.message).toBe(message)
}

describe("errors round-trip through JSON", () => {
  it.each(fatal)("%s: %o", (name, error, message) => {
    comesBack(FatalError, error, message)
    expect(error.fatal).toBe(name)
  })

  it.each(call)("%o", (error, message) => {
    comesBack(CallError, error, message)
    expect(error).not.toHaveProperty("fatal")
  })

  it.each(ConnectFailure.literals)("ConnectFailed: %s", (reason) => {
    const at = { address: "127.0.0.1:6379", reason }
    const { message } = new ConnectFailed({ ...at, detail: "" })
    expect(message).toMatch(/^127\.0\.0\.1:6379: [\w -]+$/)
    comesBack(ConnectFailed, new ConnectFailed({ ...at, detail: "" }), message)
    comesBack(ConnectFailed, new ConnectFailed({ ...at, detail: "why" }), `${message} (why)`)
  })

  it("with bytes that are no text, an error within, and a number that JSON has not", () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    const whole = new VersionFence({ expected: WIRE_4, got: "…", bytes, error: ServerError.of("ERR x") })
    const back = throughJson(VersionFence, whole)
    expect(back.bytes).toEqual(bytes)
    expect(back.error).toBeInstanceOf(ServerError)
    expect(throughJson(InexactInteger, new InexactInteger({ command: "INCR", near: Infinity })).near).toBe(
      Infinity
    )
  })

  it("does not decode one error as another, nor a forged name", () => {
    const json = { _tag: "EmqAbsent", fatal: "emq_version", message: "x" }
    expect(Result.isFailure(Schema.decodeUnknownResult(Schema.toCodecJson(FatalError))(json))).toBe(true)
  })
})

describe("the fatal set", () => {
  it("is the six of PROTOCOL.md", () => {
    expect(FatalError.members.map((member) => member.identifier)).toEqual([
      "VersionFence",
      "AuthRefused",
      "BootRefused",
      "EmqAbsent",
      "EmqVersion",
      "ClientRule"
    ])
    expect([...new Set(fatal.map(([, error]) => error.fatal))]).toEqual([
      "version_fence",
      "auth_refused",
      "boot_refused",
      "emq_absent",
      "emq_version",
      "r14"
    ])
    expect(new Set(fatal.map(([, { _tag }]) => _tag)).size).toBe(6)
  })
})

const MEGABYTE = 1_000_000

describe("a megabyte from the server makes no long message", () => {
  const long = "\0".repeat(MEGABYTE)
  const error = (code: string) => ServerError.of(`${code} ${long}`)

  it.each<[string, FatalError["_tag"], typeof wire4 | typeof wire6, ReadonlyArray<Reply>]>([
    ["stored text", "VersionFence", wire4, [long]],
    ["stored bytes", "VersionFence", wire4, [toBytes(long)]],
    ["an error to the read", "VersionFence", wire4, [error("WRONGTYPE")]],
    ["an error to the claim", "VersionFence", wire4, [null, error("NOPERM"), null]],
    ["an error to both", "VersionFence", wire4, [null, error("NOPERM"), error("WRONGTYPE")]],
    ["credentials asked for", "AuthRefused", wire4, [error("NOAUTH")]],
    ["credentials asked for", "AuthRefused", wire6, [error("NOAUTH")]],
    ["an unknown command", "EmqAbsent", wire6, [error("ERR unknown command")]],
    ["an error to EMQ.VERSION", "EmqVersion", wire6, [error("NOPERM")]],
    ["a long string for EMQ.VERSION", "EmqVersion", wire6, [long]],
    ["a long list for EMQ.VERSION", "EmqVersion", wire6, [Array.from({ length: MEGABYTE }, () => null)]],
    ["a long name", "EmqVersion", wire6, [[long, long]]],
    ["a long wire", "ClientRule", wire6, [{ ...shipped, wire: long }]],
    ["many long tokens", "ClientRule", wire6, [{ ...shipped, capabilities: [long, long] }]],
    ["a wrong wire, then", "VersionFence", wire6, [shipped, long]]
  ])("%s: %s", (_, tag, machine, replies) => {
    const rest = [...replies]
    const { end } = play(machine as Machine<unknown, unknown, FatalError>, node(null), () => rest.shift())
    assert(end._tag === "Refuse")
    expect(end.error._tag).toBe(tag)
    expect(end.error.message.length).toBeLessThan(1_200)
    expect(end.error.message).toMatch(/^[\x20-\x7e]+$/)
    expect(throughJson(FatalError, end.error)).toEqual(end.error)
  })

  it("ClientRule is bounded by the fourteen tokens that it can miss", () => {
    expect(new ClientRule({ missing: JOB_CORE }).message.length).toBeLessThan(200)
  })

  it("ServerError alone is word for word", () => {
    expect(error("ERR").message).toHaveLength(MEGABYTE + 4)
  })
})

describe("ServerError.of", () => {
  it.each([
    ["WRONGTYPE Operation", "WRONGTYPE"],
    ["CLUSTERDOWN", "CLUSTERDOWN"],
    ["ERR  two", "ERR"],
    ["", ""],
    [" x", ""]
  ])("%j has the code %j", (message, code) => {
    expect(ServerError.of(message)).toMatchObject({ message, code })
  })
})
