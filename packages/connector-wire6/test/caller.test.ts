import { EmqVersion, VERSION_KEY, VersionFence, WIRE_6 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { ConnectorWire6 } from "../src/index.ts"
import { dial } from "./support/client.ts"
import { ErrorReply } from "./support/resp.ts"
import { changes, executed, keys } from "./support/statistics.ts"
import { VERBS } from "./support/verbs.ts"

const denied = "NOPERM No permissions to access a key"
const username = "app"
const password = "secret"

/** An installed node with a user of these rules, and two ways to be that user. */
const nodeWith = Effect.fnUntraced(function* (...rules: ReadonlyArray<string>) {
  const node = yield* TestNode.make({ module: modulePath(), seed: [["SET", VERSION_KEY, WIRE_6]] })
  yield* node.admin("ACL", "SETUSER", username, "on", `>${password}`, ...rules)
  const before = yield* changes(node)
  return {
    node,
    client: yield* dial(node, { username, password }),
    connect: ConnectorWire6.make({
      host: node.host,
      port: node.port,
      username,
      password: Redacted.make(password)
    }),
    changed: Effect.map(changes(node), (now) => now - before)
  }
})

/** What `ACL LOG` has on its latest denial. */
const lastDenial = (node: TestNode["Service"]) =>
  Effect.map(node.admin("ACL", "LOG"), (log) => {
    const [entry] = log as ReadonlyArray<ReadonlyArray<unknown>>
    const field = (name: string) => entry?.[entry.indexOf(name) + 1]
    return { reason: field("reason"), object: field("object"), username: field("username") }
  })

describe("a user that may not read the fence key", () => {
  const withoutRead: ReadonlyArray<readonly [name: string, keys: ReadonlyArray<string>]> = [
    ["knows its queue only", ["~emq:{q}:*"]],
    ["may only write the key", ["~emq:{q}:*", `%W~${VERSION_KEY}`]],
    ["may read another key of the reserve", ["~emq:{q}:*", "%R~{emq}:versions"]]
  ]

  it.live.each(withoutRead)("%s: every verb is denied, and nothing is read or written", ([, rules]) =>
    Effect.gen(function* () {
      const { changed, client, node } = yield* nodeWith("+@all", ...rules)
      for (const verb of VERBS) expect(yield* client.refusal(verb, 1, "emq:{q}:pending", "a")).toBe(denied)
      expect((yield* executed(node)).get).toBe(undefined)
      expect(yield* changed).toBe(0)
      expect(yield* node.writes).toBe(0)
      expect(yield* keys(node)).toEqual([VERSION_KEY])
      expect(yield* lastDenial(node)).toEqual({ reason: "key", object: VERSION_KEY, username })
    })
  )

  it.live.each(withoutRead)("%s: a connect is refused by the fence, with the server's words", ([, rules]) =>
    Effect.gen(function* () {
      const { connect, node } = yield* nodeWith("+@all", ...rules)
      const error = yield* Effect.flip(connect)
      if (!(error instanceof VersionFence)) return expect.unreachable(error._tag)
      expect(error.fatal).toBe("version_fence")
      expect(error.got).toBe(denied)
      expect(error.error).toMatchObject({ _tag: "ServerError", code: "NOPERM", message: denied })
      expect(error.bytes).toBe(undefined)
      expect(yield* node.writes).toBe(0)
    })
  )

  it.live("is denied in a script, in a function and in a transaction too", () =>
    Effect.gen(function* () {
      const { client, node } = yield* nodeWith("+@all", "~emq:{q}:*")
      const script = "return server.call('EMQ.ENQUEUE', 1, KEYS[1])"
      expect(yield* client.refusal("EVAL", script, 1, "emq:{q}:pending")).toMatch(denied)
      yield* node.admin(
        "FUNCTION",
        "LOAD",
        "#!lua name=l\nserver.register_function('f', function(keys) return server.call('EMQ.ENQUEUE', 1, keys[1]) end)"
      )
      expect(yield* client.refusal("FCALL", "f", 1, "emq:{q}:pending")).toMatch(denied)
      yield* client.call("MULTI")
      expect(yield* client.call("EMQ.ENQUEUE", 1, "emq:{q}:pending")).toBe("QUEUED")
      expect(yield* client.call("EXEC")).toEqual([new ErrorReply(denied)])
      expect(yield* node.writes).toBe(0)
      expect(yield* keys(node)).toEqual([VERSION_KEY])
    })
  )
})

describe("a user with its queue and the fence key for reading", () => {
  const rules = ["~emq:{q}:*", `%R~${VERSION_KEY}`]
  const verbs = VERBS.map((verb) => `+${verb.toLowerCase()}`)

  it.live("connects and runs every verb, by the permission for those alone", () =>
    Effect.gen(function* () {
      const { connect, node } = yield* nodeWith("-@all", "+emq.version", "+get", ...verbs, ...rules)
      const connector = yield* connect
      for (const [i, verb] of VERBS.entries()) {
        expect(yield* connector.command([verb, 2, "emq:{q}:pending", "emq:{q}:job:1", "a"])).toBe(i + 1)
      }
      expect(yield* keys(node)).toEqual(["emq:{q}:journal", VERSION_KEY])
    })
  )

  it.live("runs verbs without permission for GET or RPUSH, and in a script and a transaction", () =>
    Effect.gen(function* () {
      const { client } = yield* nodeWith("-@all", "+eval", "+@transaction", "+emq.claim", ...rules)
      const script = "return server.call('EMQ.CLAIM', 1, KEYS[1])"
      expect(yield* client.call("EMQ.CLAIM", 1, "emq:{q}:pending")).toBe(1)
      expect(yield* client.call("EVAL", script, 1, "emq:{q}:pending")).toBe(2)
      yield* client.call("MULTI")
      yield* client.call("EMQ.CLAIM", 1, "emq:{q}:pending")
      expect(yield* client.call("EXEC")).toEqual([3])
    })
  )

  it.live("may not write to another queue, nor to the fence key", () =>
    Effect.gen(function* () {
      const { changed, client, connect, node } = yield* nodeWith("+@all", ...rules)
      const connector = yield* connect
      const error = yield* Effect.flip(connector.command(["EMQ.ENQUEUE", 1, "emq:{other}:pending"]))
      expect(error).toMatchObject({ _tag: "ServerError", code: "NOPERM" })
      for (const verb of VERBS)
        expect(yield* client.refusal(verb, 1, "emq:{other}:pending")).toMatch(/^NOPERM /)
      expect(yield* client.refusal("EMQ.INSTALL", 1, VERSION_KEY)).toMatch(/^NOPERM /)
      expect(yield* changed).toBe(0)
      expect(yield* keys(node)).toEqual([VERSION_KEY])
    })
  )

  it.live("by a selector of its own", () =>
    Effect.gen(function* () {
      const { client, connect } = yield* nodeWith("+@all", "~emq:{q}:*", `(+get %R~${VERSION_KEY})`)
      expect(yield* client.call("EMQ.CLAIM", 1, "emq:{q}:pending")).toBe(1)
      expect(yield* (yield* connect).command(["EMQ.CLAIM", 1, "emq:{q}:pending"])).toBe(2)
    })
  )
})

describe("a user that may not write where a verb writes", () => {
  it.live.each([
    ["the key that it names is for reading", "%R~emq:{q}:*"],
    ["the journal is not among its keys", "~emq:{q}:pending"],
    ["the journal is for reading", "~emq:{q}:p*", "%R~emq:{q}:journal"]
  ] as ReadonlyArray<readonly [name: string, ...rules: ReadonlyArray<string>]>)("%s", ([, ...rules]) =>
    Effect.gen(function* () {
      const { changed, client, node } = yield* nodeWith("+@all", ...rules, `%R~${VERSION_KEY}`)
      for (const verb of VERBS) expect(yield* client.refusal(verb, 1, "emq:{q}:pending")).toBe(denied)
      expect(yield* changed).toBe(0)
      expect(yield* keys(node)).toEqual([VERSION_KEY])
    })
  )
})

describe("a user without permission for", () => {
  it.live("EMQ.VERSION: a connect is refused, and the key is not read", () =>
    Effect.gen(function* () {
      const { connect, node } = yield* nodeWith("+@all", "~*", "-emq.version")
      const error = yield* Effect.flip(connect)
      if (!(error instanceof EmqVersion)) return expect.unreachable(error._tag)
      expect(error.fatal).toBe("emq_version")
      expect(error.message).toBe("NOPERM User app has no permissions to run the 'emq.version' command")
      expect((yield* node.counts).get).toBe(undefined)
    })
  )

  it.live("GET: a connect is refused by the fence", () =>
    Effect.gen(function* () {
      const { connect } = yield* nodeWith("+@all", "~*", "-get")
      const error = yield* Effect.flip(connect)
      if (!(error instanceof VersionFence)) return expect.unreachable(error._tag)
      expect(error.got).toBe("NOPERM User app has no permissions to run the 'get' command")
    })
  )

  it.live("one verb: that one is denied, and the others run", () =>
    Effect.gen(function* () {
      const { connect, node } = yield* nodeWith("+@all", "~*", "-emq.claim")
      const connector = yield* connect
      const error = yield* Effect.flip(connector.command(["EMQ.CLAIM", 1, "emq:{q}:pending"]))
      expect(error).toMatchObject({
        code: "NOPERM",
        message: "NOPERM User app has no permissions to run the 'emq.claim' command"
      })
      expect(yield* connector.command(["EMQ.ENQUEUE", 1, "emq:{q}:pending"])).toBe(1)
      expect(yield* node.admin("LLEN", "emq:{q}:journal")).toBe(1)
    })
  )
})

it.live("a permission that is taken away ends the next write of a running connector, and only that", () =>
  Effect.gen(function* () {
    const { connect, node } = yield* nodeWith("+@all", "~emq:{q}:*", `%R~${VERSION_KEY}`)
    const connector = yield* connect
    const enqueue = connector.command(["EMQ.ENQUEUE", 1, "emq:{q}:pending"])
    expect(yield* enqueue).toBe(1)
    yield* node.admin("ACL", "SETUSER", username, "resetkeys", "~emq:{q}:*")
    expect(yield* Effect.flip(enqueue)).toMatchObject({ _tag: "ServerError", message: denied })
    expect((yield* connector.status)._tag).toBe("Serving")
    yield* node.admin("ACL", "SETUSER", username, `%R~${VERSION_KEY}`)
    expect(yield* enqueue).toBe(2)
  })
)
