import { readFileSync } from "node:fs"
import { ConnectorWire4, type Options } from "@echomq/connector-wire4"
import { ConnectorWire6 } from "@echomq/connector-wire6"
import { type Connector, script, type Wire } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Redacted, Stream } from "effect"

type Use = (connector: Connector["Service"]) => Effect.Effect<unknown, unknown>
type Rules = ReadonlyArray<string>

const page = readFileSync(new URL("../../docs/operating.md", import.meta.url), "utf8").replaceAll("\\|", "|")

/** The rules of a user that the page sets up. */
const rulesOf = (user: string): Rules => {
  const rules = new RegExp(`^ACL SETUSER ${user} on >secret (.+)$`, "m").exec(page)?.[1]
  if (rules === undefined) throw new Error(`docs/operating.md sets up no user ${user}`)
  return rules.split(" ")
}

const WIRE_4 = ["SET", "{emq}:version", "echomq:4.0.0"]
const WIRE_6 = ["SET", "{emq}:version", "echomq:6.0.0"]

const empty = TestNode.make({ module: modulePath() })
const claimed = TestNode.make({ seed: [WIRE_4] })
/** In both databases that are used here: each has a fence of its own. */
const installed = TestNode.make({
  module: modulePath(),
  seed: [WIRE_6, ["SELECT", "1"], WIRE_6]
})

const connect = (wire: Wire, { host, port }: TestNode["Service"], options: Options) => {
  const all = {
    ...options,
    host,
    port,
    username: "orders",
    password: Redacted.make("secret"),
    clientName: "orders",
    heartbeat: "50 millis",
    connectTimeout: "1 second"
  } as const
  return wire === 4 ? ConnectorWire4.make(all) : ConnectorWire6.make(all)
}

/**
 * Connects to a node on which nobody but a user with these rules may do anything, does something, and stays for some
 * heartbeats: how that ended, and what the server has denied.
 */
const attempt = Effect.fnUntraced(function* (
  made: typeof empty,
  wire: Wire,
  rules: Rules,
  use: Use,
  options: Options = {}
) {
  const node = yield* made
  yield* node.admin("ACL", "SETUSER", "orders", "on", ">secret", ...rules)
  yield* node.admin("ACL", "SETUSER", "default", "off")
  const exit = yield* Effect.gen(function* () {
    const connector = yield* connect(wire, node, options)
    yield* use(connector)
    yield* Effect.sleep("300 millis")
  }).pipe(Effect.scoped, Effect.exit)
  return { exit, denied: (yield* node.admin("ACL", "LOG")) as ReadonlyArray<unknown> }
}, Effect.scoped)

const allowed = { exit: Exit.void, denied: [] }

const nothing: Use = () => Effect.void

const push = script("return redis.call('RPUSH', KEYS[1], ARGV[1])")

/** Waits until a subscription stands. */
const subscribed = (listen: (onSubscribed: Effect.Effect<void>) => Stream.Stream<unknown, unknown>) =>
  Effect.gen(function* () {
    const ready = yield* Deferred.make<void>()
    const listening = Stream.runDrain(listen(Effect.asVoid(Deferred.succeed(ready, undefined))))
    yield* Effect.raceFirst(listening, Deferred.await(ready))
  })

/** What an application may want beyond a connection, and the rules that the page gives for it. */
const wants: ReadonlyArray<{
  readonly what: string
  readonly rules: string
  readonly use: Use
  readonly options?: Options
}> = [
  { what: "another database", rules: "+select", use: nothing, options: { database: 1 } },
  {
    what: "a script",
    rules: "+evalsha +script|load",
    use: (connector) => connector.eval(push, ["emq:{orders}:pending"], ["job"])
  },
  {
    what: "a transaction",
    rules: "+multi +exec",
    use: (connector) => connector.transaction([["RPUSH", "emq:{orders}:pending", "job"]])
  },
  {
    what: "a script in a transaction",
    rules: "+multi +exec +eval",
    use: (connector) =>
      connector.transaction([{ script: push, keys: ["emq:{orders}:pending"], args: ["job"] }])
  },
  {
    what: "a subscription",
    rules: "&emq:{orders}:* +subscribe +multi +discard +client|setinfo",
    use: (connector) =>
      subscribed((onSubscribed) => connector.subscribe(["emq:{orders}:events"], { onSubscribed }))
  },
  {
    what: "a subscription by a pattern",
    rules: "&emq:{orders}:* +psubscribe +multi +discard +client|setinfo",
    use: (connector) =>
      subscribed((onSubscribed) => connector.psubscribe(["emq:{orders}:*"], { onSubscribed }))
  },
  {
    what: "a lane",
    rules: "+blpop",
    use: (connector) =>
      Effect.scoped(
        Effect.flatMap(connector.lane, (lane) => lane.command(["BLPOP", "emq:{orders}:pending", 0.1]))
      )
  }
]

/** That rules are enough beside others, and that each of them is needed. */
const areLeast = Effect.fnUntraced(function* (
  wire: Wire,
  rules: Rules,
  others: Rules,
  use: Use,
  options?: Options
) {
  const node = wire === 4 ? TestNode.make() : installed
  const attemptWith = (rules: Rules) => attempt(node, wire, [...rules, ...others], use, options)
  expect(yield* attemptWith(rules)).toEqual(allowed)
  for (const rule of rules) {
    const { denied, exit } = yield* attemptWith(rules.filter((other) => other !== rule))
    expect(Exit.isFailure(exit) || denied.length > 0, `without ${rule}`).toBe(true)
  }
})

const queue = ["~emq:{orders}:*", "+rpush"]

describe.each<Wire>([4, 6])(
  "the rules of docs/operating.md are enough and each is needed, on wire %i",
  (wire) => {
    const own = rulesOf(`orders-${wire}`)

    it.live("for a connector", () => areLeast(wire, own, [], nothing))

    it.live.each(wants)("for $what: $rules", ({ options, rules, use }) => {
      expect(page).toContain(`\`${rules}\``)
      return areLeast(wire, rules.split(" "), [...own, ...queue], use, options)
    })
  }
)

describe("the rules of docs/operating.md", () => {
  it.live("for a verb of the module", () => {
    expect(page).toContain("`~emq:{orders}:* +emq.enqueue`")
    return areLeast(6, ["~emq:{orders}:*", "+emq.enqueue"], rulesOf("orders-6"), (connector) =>
      connector.command(["EMQ.ENQUEUE", 1, "emq:{orders}:pending", "JOB0KHTOWnGLuC"])
    )
  })

  it.live("let a user of wire 4 run who can claim nothing", () =>
    Effect.gen(function* () {
      const rules = rulesOf("orders-4-verify")
      expect(yield* attempt(claimed, 4, rules, nothing)).toEqual(allowed)
      const { exit } = yield* attempt(empty, 4, rules, nothing)
      expect(exit).toMatchObject({
        cause: { reasons: [{ error: { _tag: "VersionFence", got: null, error: { code: "NOPERM" } } }] }
      })
    })
  )

  it.live("let an operator install a node, and do nothing else", () =>
    Effect.gen(function* () {
      const node = yield* empty
      yield* node.admin("ACL", "SETUSER", "installer", "on", ">secret", ...rulesOf("installer"))
      const dryRun = (...command: ReadonlyArray<string>) =>
        node.admin("ACL", "DRYRUN", "installer", ...command)
      expect(yield* dryRun("EMQ.INSTALL", "1", "{emq}:version")).toBe("OK")
      expect(yield* dryRun("SET", "{emq}:version", "x")).toContain("no permissions to run")
      expect(yield* dryRun("EMQ.INSTALL", "1", "other")).toContain("no permissions to access")
      for (const rule of rulesOf("installer")) {
        yield* node.admin(
          "ACL",
          "SETUSER",
          "less",
          "reset",
          ...rulesOf("installer").filter((other) => other !== rule)
        )
        expect(yield* node.admin("ACL", "DRYRUN", "less", "EMQ.INSTALL", "1", "{emq}:version")).not.toBe("OK")
      }
    })
  )
})
