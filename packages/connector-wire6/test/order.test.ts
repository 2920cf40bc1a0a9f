import { Dialer } from "@echomq/connector-wire4/link"
import { VERSION_KEY, WIRE_6 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { ConnectorWire6, type Options } from "../src/index.ts"
import { monitor, type Seen } from "./support/client.ts"
import { recorded } from "./support/links.ts"

/** A node whose fence key is in the second database, behind a password: every step of the boot is needed. */
const guarded = TestNode.make({
  module: modulePath(),
  args: ["--requirepass", "secret"],
  seed: [
    ["SELECT", "1"],
    ["SET", VERSION_KEY, WIRE_6]
  ]
})

const optionsFor = ({ host, port }: { readonly host: string; readonly port: number }): Options => ({
  host,
  port,
  password: Redacted.make("secret"),
  database: 1,
  clientName: "orders"
})

/** The commands of each client, in order; what the driver says about itself left out. */
const byClient = (seen: ReadonlyArray<Seen>) =>
  Object.values(Object.groupBy(seen, ({ client }) => client)).flatMap((commands = []) => {
    const texts = commands
      .map(({ database, parts }) => `${database} ${parts.join(" ")}`)
      .filter((text) => !/ (CLIENT SETINFO|QUIT)\b/i.test(text))
    return texts.length === 0 ? [] : [texts]
  })

const onTheWire = [
  "0 AUTH (redacted)",
  "1 SELECT 1",
  "1 CLIENT SETNAME orders",
  "1 EMQ.VERSION",
  `1 GET ${VERSION_KEY}`
]

const boot = [
  ["AUTH", "secret"],
  ["SELECT", "1"],
  ["CLIENT", "SETNAME", "orders"]
]

describe("a pass on the wire", () => {
  it.live("is boot, EMQ.VERSION, GET, on one connection, and callers come after", () =>
    Effect.gen(function* () {
      const node = yield* guarded
      const seen = yield* monitor(node)
      const connector = yield* ConnectorWire6.make(optionsFor(node))
      expect(byClient(yield* seen)).toEqual([onTheWire])
      yield* connector.command(["EMQ.ENQUEUE", 1, "emq:{q}:pending", "a"])
      const [commands] = byClient((yield* seen).filter(({ client }) => client !== ""))
      expect(commands).toEqual([...onTheWire, "1 EMQ.ENQUEUE 1 emq:{q}:pending a"])
    })
  )

  it.live("takes two round trips in all: all up to EMQ.VERSION, and the GET", () =>
    Effect.gen(function* () {
      const node = yield* guarded
      const { dialer, links } = yield* recorded
      yield* Effect.provideService(ConnectorWire6.make(optionsFor(node)), Dialer, dialer)
      expect(links).toEqual([[[...boot, ["EMQ.VERSION"]], [["GET", VERSION_KEY]]]])
    })
  )

  it.live(
    "is the same, and has two round trips, where there is nothing to boot but the proof of the pin",
    () =>
      Effect.gen(function* () {
        const node = yield* TestNode.make({ module: modulePath(), seed: [["SET", VERSION_KEY, WIRE_6]] })
        const { dialer, links } = yield* recorded
        yield* Effect.provideService(
          ConnectorWire6.make({ host: node.host, port: node.port }),
          Dialer,
          dialer
        )
        expect(links).toEqual([
          [[["AUTH", expect.stringMatching(/^pin-/)], ["EMQ.VERSION"]], [["GET", VERSION_KEY]]]
        ])
      })
  )

  it.live("is repeated on every further connection before that serves", () =>
    Effect.gen(function* () {
      const node = yield* guarded
      const { dialer, links } = yield* recorded
      const connector = yield* Effect.provideService(ConnectorWire6.make(optionsFor(node)), Dialer, dialer)
      for (let lost = 1; lost <= 3; lost++) {
        const seen = yield* monitor(node)
        yield* node.admin("CLIENT", "KILL", "TYPE", "normal", "USER", "default", "SKIPME", "yes")
        yield* until("it has reconnected", connector.stats, ({ reconnects }) => reconnects === lost)
        expect(yield* connector.command(["EMQ.ENQUEUE", 1, "emq:{q}:pending", "a"])).toBe(lost)
        const commands = byClient((yield* seen).filter(({ client }) => client !== ""))
        expect(commands.at(-1)).toEqual([...onTheWire, "1 EMQ.ENQUEUE 1 emq:{q}:pending a"])
      }
      const pass = [[...boot, ["EMQ.VERSION"]], [["GET", VERSION_KEY]]]
      for (const sent of links) expect(sent.slice(0, 2)).toEqual(pass)
      expect(links.length).toBe(4)
    })
  )
})

describe("a refusal on the wire", () => {
  it.live.each([
    ["another major", modulePath("major")],
    ["no module", undefined]
  ] as const)("of %s ends after one round trip", ([, module]) =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({
        ...(module === undefined ? {} : { module }),
        seed: [["SET", VERSION_KEY, WIRE_6]]
      })
      const { dialer, links } = yield* recorded
      const connect = ConnectorWire6.make({ host: node.host, port: node.port, clientName: "orders" })
      yield* Effect.flip(Effect.provideService(connect, Dialer, dialer))
      expect(links.map((sent) => sent.length)).toEqual([1])
      expect(links[0]?.[0]?.at(-1)).toEqual(["EMQ.VERSION"])
    })
  )
})
