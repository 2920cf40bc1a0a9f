import {
  ClientRule,
  ConnectFailed,
  EmqAbsent,
  EmqVersion,
  JOB_CORE,
  type ModuleVersion,
  type Reply,
  ServerError,
  VERSION_KEY,
  WIRE_6
} from "@echomq/keyspace"
import { type NodeOptions, TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { until } from "@echomq/test-node/until"
import { vectors } from "@echomq/test-node/vectors"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Result } from "effect"
import { ConnectorWire6, type Options } from "../src/index.ts"
import { dial, monitor } from "./support/client.ts"
import { scripted } from "./support/links.ts"
import { ErrorReply, type Wire } from "./support/resp.ts"

interface Row {
  readonly name: string
  /** The map, by entry; or another reply whole. */
  readonly reply?: Reply
  /** The elements of a flat list. */
  readonly flat?: ReadonlyArray<Reply>
  readonly error?: string
  readonly verdict: "pass" | "r14" | "emq_version" | "emq_absent" | "retry"
}

const rows = vectors<Row>("module-version")

const rowOf = (name: string): Row => rows.find((row) => row.name === name) as Row

/** What each row that is refused is refused with. */
const refusals: Readonly<Record<string, object>> = {
  "another wire": new ClientRule({ wire: { expected: WIRE_6, got: "echomq:7.0.0" }, missing: [] }),
  "wire 4": new ClientRule({ wire: { expected: WIRE_6, got: "echomq:4.0.0" }, missing: [] }),
  "another major": new ClientRule({ major: { expected: 0, got: 1 }, missing: [] }),
  "one token missing": new ClientRule({ missing: ["stalled.check"] }),
  "no token": new ClientRule({ missing: [...JOB_CORE] }),
  "bus tokens only": new ClientRule({ missing: [...JOB_CORE] }),
  "no wire": new EmqVersion({ message: "EMQ.VERSION replied no wire" }),
  "no build entry": new EmqVersion({ message: "EMQ.VERSION replied no build" }),
  "major as a string": new EmqVersion({
    message: "EMQ.VERSION replied module_major as a string, which is no exact integer"
  }),
  "capabilities as a string": new EmqVersion({
    message: "EMQ.VERSION replied capabilities as a string, which is no list"
  }),
  "a token that is no string": new EmqVersion({
    message: "EMQ.VERSION replied capabilities with a number in place 15, which is no text"
  }),
  "wire null": new EmqVersion({ message: "EMQ.VERSION replied wire as null, which is no text" }),
  "an integer": new EmqVersion({ message: "EMQ.VERSION replied a number" }),
  null: new EmqVersion({ message: "EMQ.VERSION replied null" }),
  "empty map": new EmqVersion({ message: "EMQ.VERSION replied no wire" }),
  "a list of odd length": new EmqVersion({ message: "EMQ.VERSION replied a list of odd length 3" }),
  "error reply: no permission": new EmqVersion({
    message: "NOPERM User app has no permissions to run the 'emq.version' command"
  }),
  "error reply: unknown command": new EmqAbsent({
    message: "ERR unknown command 'EMQ.VERSION', with args beginning with: "
  }),
  "error reply: loading": new ConnectFailed({
    address: "127.0.0.1:6379",
    reason: "not-ready",
    detail: "LOADING Valkey is loading the dataset in memory"
  })
}

const tags = { r14: "ClientRule", emq_version: "EmqVersion", emq_absent: "EmqAbsent", retry: "ConnectFailed" }

const isMap = (reply: Reply | undefined): reply is { readonly [key: string]: Reply } =>
  typeof reply === "object" && reply !== null && !Array.isArray(reply)

const reportOf = (reply: Reply | undefined): ModuleVersion.ModuleReport => {
  const { build, capabilities, module, module_major, module_version, wire } = reply as unknown as {
    readonly [Entry in "wire" | "module" | "module_version"]: string
  } & {
    readonly module_major: number
    readonly build: string | null
    readonly capabilities: ReadonlyArray<string>
  }
  return { wire, module, version: module_version, major: module_major, build, capabilities }
}

it("the table of refusals is that of the vectors", () => {
  expect(rows.length).toBeGreaterThanOrEqual(24)
  expect(Object.keys(refusals)).toEqual(
    rows.flatMap(({ name, verdict }) => (verdict === "pass" ? [] : [name]))
  )
  for (const { name, verdict } of rows) {
    if (verdict !== "pass") expect(refusals[name]).toMatchObject({ _tag: tags[verdict] })
  }
})

const inBytes = (reply: Reply): Reply =>
  typeof reply === "string" ? Buffer.from(reply) : Array.isArray(reply) ? reply.map(inBytes) : reply

/** The forms in which a driver may hand over what the row says. */
const formsOf = ({ error, flat, reply }: Row): ReadonlyArray<readonly [form: string, reply: Reply]> => {
  if (error !== undefined) return [["an error", ServerError.of(error)]]
  const list = flat ?? (isMap(reply) ? Object.entries(reply).flat() : undefined)
  if (list === undefined) return [["as it is", reply as Reply]]
  const flats: ReadonlyArray<readonly [string, Reply]> = [
    ["a flat list of bytes", inBytes(list)],
    ["a flat list of text", list]
  ]
  if (!isMap(reply)) return flats
  const pairs = Object.entries(reply)
  return [...flats, ["a record", reply], ["pairs", pairs], ["pairs of bytes", inBytes(pairs)]]
}

describe("every row of module-version.json, over a scripted link", () => {
  const cases = rows.flatMap((row) =>
    formsOf(row).map(([form, reply]) => [row.name, form, row, reply] as const)
  )

  it.live.each(cases)("%s, as %s", ([name, , row, reply]) =>
    Effect.gen(function* () {
      const { result, sent } = yield* scripted(
        (command) => (command === "EMQ.VERSION" ? reply : command === "GET" ? WIRE_6 : "OK"),
        ConnectorWire6.make()
      )
      if (row.verdict === "pass") {
        expect(sent).toEqual([[["EMQ.VERSION"]], [["GET", VERSION_KEY]]])
        const connector = Result.getOrThrow(result)
        expect((yield* connector.status)._tag).toBe("Serving")
        expect(yield* connector.module).toEqual(reportOf(row.reply))
      } else {
        expect(sent).toEqual([[["EMQ.VERSION"]]])
        expect(Result.getOrThrow(Result.flip(result))).toEqual(refusals[name])
      }
    })
  )
})

const seed = [["SET", VERSION_KEY, WIRE_6]]

const toReply = (wire: Wire): unknown =>
  wire instanceof Map
    ? Object.fromEntries(Array.from(wire, ([name, value]) => [name, toReply(value)]))
    : wire instanceof ErrorReply
      ? wire.message
      : wire

/** Attempts to connect to a node, and gives what there was to see of it on the server. */
const attempt = Effect.fnUntraced(function* (options: NodeOptions, user?: string) {
  const node = yield* TestNode.make({ seed, ...options })
  if (user !== undefined)
    yield* node.admin("ACL", "SETUSER", user, "on", ">secret", "~*", "&*", "+@all", "-emq.version")
  const credentials: Options = user === undefined ? {} : { username: user, password: Redacted.make("secret") }
  const seen = yield* monitor(node)
  const result = yield* Effect.result(
    ConnectorWire6.make({ ...credentials, host: node.host, port: node.port })
  )
  const commands = (yield* seen).map(({ parts }) => parts.join(" "))
  const counts = yield* node.counts
  const client = yield* dial(node, user === undefined ? undefined : { username: user, password: "secret" })
  yield* client.call("HELLO", 3)
  return { commands, counts, node, reply: toReply(yield* client.call("EMQ.VERSION")), result }
})

describe("the rows that a server can give, on a real server", () => {
  it.live("as shipped: passes, and tells of the module", () =>
    Effect.gen(function* () {
      const { reply } = rowOf("as shipped")
      const { commands, counts, node, reply: given, result } = yield* attempt({ module: modulePath() })
      expect(given).toEqual(reply)
      const connector = Result.getOrThrow(result)
      expect(yield* connector.module).toEqual(reportOf(reply))
      expect(counts.get).toEqual({ calls: 1, failed: 0, rejected: 0 })
      expect(commands).toContain(`GET ${VERSION_KEY}`)
      expect(yield* node.writes).toBe(0)
    })
  )

  it.live.each([
    ["another wire", { module: modulePath("wire") }],
    ["another major", { module: modulePath("major") }],
    ["one token missing", { module: modulePath("token-short") }],
    ["error reply: no permission", { module: modulePath() }, "app"],
    ["error reply: unknown command", {}]
  ] as ReadonlyArray<readonly [name: string, options: NodeOptions, user?: string]>)(
    "%s: refused, and the key is not read",
    ([name, options, user]) =>
      Effect.gen(function* () {
        const { commands, counts, node, reply, result } = yield* attempt(options, user)
        const row = rowOf(name)
        expect(reply).toEqual(row.error ?? row.reply)
        expect(Result.getOrThrow(Result.flip(result))).toEqual(refusals[name])
        expect(counts.get).toBe(undefined)
        expect(commands.join("\n")).not.toMatch(/get|version\b.*emq/i)
        expect(yield* node.writes).toBe(0)
        expect(yield* node.admin("GET", VERSION_KEY)).toBe(WIRE_6)
      })
  )
})

describe("a server that is not ready is retried, never fatal", () => {
  /** A connector whose start is retried as an application would, and the first failure of it. */
  const notReady = Effect.fnUntraced(function* (node: TestNode["Service"]) {
    const error = yield* Effect.flip(ConnectorWire6.make({ host: node.host, port: node.port }))
    if (!(error instanceof ConnectFailed)) return expect.unreachable(error._tag)
    expect(error.reason).toBe("not-ready")
    return error
  })

  it.live("LOADING: as in the vectors, and then it is served", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed, module: modulePath(), loading: 2_000, until: "listening" })
      expect((yield* notReady(node)).detail).toBe(rowOf("error reply: loading").error)
      const { "emq.version": version, get } = yield* node.counts
      expect(version).toEqual({ calls: 0, failed: 0, rejected: 1 })
      expect(get).toBe(undefined)
      const connector = yield* until(
        "the server has loaded",
        Effect.result(ConnectorWire6.make({ host: node.host, port: node.port })),
        Result.isSuccess
      )
      expect(yield* Result.getOrThrow(connector).command(["EMQ.CLAIM", 1, "emq:{q}:pending"])).toBe(1)
    })
  )

  it.live("BUSY: a script holds the server, and EMQ.VERSION has to wait", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed, module: modulePath(), args: ["--busy-reply-threshold", "1"] })
      const client = yield* dial(node)
      const script = yield* Effect.forkScoped(client.refusal("EVAL", "while true do end", 0))
      yield* until("the server is busy", Effect.result(node.admin("ECHO", "?")), Result.isFailure)
      expect((yield* notReady(node)).detail).toMatch(/^BUSY /)
      yield* node.admin("SCRIPT", "KILL")
      expect(yield* Fiber.join(script)).toMatch(/killed by user/)
      const { "emq.version": version, get } = yield* node.counts
      expect(version).toEqual({ calls: 0, failed: 0, rejected: 1 })
      expect(get).toBe(undefined)
    })
  )

  it.live("MASTERDOWN: a replica without its primary serves no stale data", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({
        seed,
        module: modulePath(),
        args: ["--replica-serve-stale-data", "no"]
      })
      yield* node.admin("REPLICAOF", "127.0.0.1", 1)
      expect((yield* notReady(node)).detail).toMatch(/^MASTERDOWN /)
      expect((yield* node.counts).get).toMatchObject({ calls: 0 })
    })
  )
})
