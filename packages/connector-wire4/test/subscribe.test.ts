import {
  type Connector,
  type Message,
  type SubscribeError,
  type SubscribeOptions,
  VERSION_KEY,
  VersionFence,
  WIRE_4,
  WIRE_6
} from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Redacted, Scope, Stream } from "effect"
import { ConnectorWire4, type Options } from "../src/index.ts"
import { authentications } from "./support/authentication.ts"
import { certificatesFor, tlsNode } from "./support/certificates.ts"
import { executedOnKeys, keys } from "./support/statistics.ts"

type Node = TestNode["Service"]
type Service = Connector["Service"]

const everything = ["--slowlog-log-slower-than", "0", "--slowlog-max-len", "1000000"]

const start = Effect.fnUntraced(function* (options: Options = {}, args: ReadonlyArray<string> = []) {
  const node = yield* TestNode.make({ args })
  const connector = yield* ConnectorWire4.make({ ...options, host: node.host, port: node.port })
  return { node, connector }
})

const subscribers = (node: Node, ...channels: ReadonlyArray<string>) =>
  Effect.map(node.admin("PUBSUB", "NUMSUB", ...channels), (reply) =>
    (reply as ReadonlyArray<string | number>).filter((_, i) => i % 2 === 1).map(Number)
  )

const patterns = (node: Node) => Effect.map(node.admin("PUBSUB", "NUMPAT"), Number)

const subscribed = (node: Node, ...channels: ReadonlyArray<string>) =>
  until("it is subscribed", subscribers(node, ...channels), (counts) => counts.every((count) => count === 1))

const unsubscribed = (node: Node, ...channels: ReadonlyArray<string>) =>
  until("it has unsubscribed", subscribers(node, ...channels), (counts) =>
    counts.every((count) => count === 0)
  )

/** Runs a stream in the background and keeps what it gives. */
const collecting = Effect.fnUntraced(function* (stream: Stream.Stream<Message, SubscribeError>) {
  const messages: Array<Message> = []
  const fiber = yield* Effect.forkScoped(
    Stream.runForEach(stream, (message) => Effect.sync(() => void messages.push(message)))
  )
  const received = (count: number) =>
    until(
      `${count} messages have come`,
      Effect.sync(() => messages.length),
      (length) => length >= count
    )
  return { messages, fiber, received }
})

const on = (channel: string, message: string | Uint8Array): Message => ({ channel, pattern: null, message })

/** Has the connector publish, and gives how many subscribers the server handed it to. */
const publish = (connector: Service, channel: string, message: string | Uint8Array) =>
  connector.command(["PUBLISH", channel, message])

describe("messages of channels", () => {
  it.live("come in order, as they were published", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const { messages, received } = yield* collecting(connector.subscribe(["news"]))
      yield* subscribed(node, "news")
      const texts = Array.from({ length: 1_000 }, (_, i) => `message ${i}`)
      yield* Effect.forEach(texts, (text) => publish(connector, "news", text))
      yield* publish(connector, "other", "not ours")
      yield* publish(connector, "news", "end")
      yield* received(1_001)
      expect(messages).toEqual([...texts, "end"].map((text) => on("news", text)))
    })
  )

  it.live("of several", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const channels = Array.from({ length: 50 }, (_, i) => `channel:${i}`)
      const { messages, received } = yield* collecting(connector.subscribe([...channels, "channel:0"]))
      yield* subscribed(node, ...channels)
      for (const channel of channels) expect(yield* publish(connector, channel, channel)).toBe(1)
      yield* received(50)
      expect(messages).toEqual(channels.map((channel) => on(channel, channel)))
    })
  )

  it.live("that are no text are bytes, and the process lives", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const { messages, received } = yield* collecting(connector.subscribe(["bytes"]))
      yield* subscribed(node, "bytes")
      const payloads = [
        Buffer.from("fffe0041", "hex"),
        Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
        Buffer.from("eda080", "hex"),
        Buffer.alloc(2 ** 20, 0xfe)
      ]
      for (const payload of payloads) yield* publish(connector, "bytes", payload)
      yield* publish(connector, "bytes", "")
      yield* publish(connector, "bytes", "schön \0 \u{1f600}")
      yield* received(6)
      for (const [i, payload] of payloads.entries()) {
        const { message } = messages[i] as Message
        if (typeof message === "string") return expect.unreachable("it is text")
        expect(Buffer.compare(message, payload)).toBe(0)
      }
      expect(messages.slice(4)).toEqual([on("bytes", ""), on("bytes", "schön \0 \u{1f600}")])
    })
  )

  it.live("go to each of several subscribers of one connector", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const all = yield* Effect.forEach([1, 2, 3], () => collecting(connector.subscribe(["news"])))
      yield* until("all are subscribed", subscribers(node, "news"), ([count]) => count === 3)
      expect(yield* publish(connector, "news", "x")).toBe(3)
      for (const { messages, received } of all) {
        yield* received(1)
        expect(messages).toEqual([on("news", "x")])
      }
    })
  )
})

describe("messages of patterns", () => {
  it.live("tell the channel, and the pattern that it matched", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const { messages, received } = yield* collecting(connector.psubscribe(["a:*", "b:[12]"]))
      yield* until("it is subscribed", patterns(node), (count) => count === 2)
      for (const channel of ["a:1", "b:3", "b:2", "c", "a:"]) yield* publish(connector, channel, "x")
      yield* publish(connector, Buffer.from("613aff", "hex").toString("latin1"), "last")
      yield* received(4)
      expect(messages).toEqual([
        { channel: "a:1", pattern: "a:*", message: "x" },
        { channel: "b:2", pattern: "b:[12]", message: "x" },
        { channel: "a:", pattern: "a:*", message: "x" },
        { channel: "a:ÿ", pattern: "a:*", message: "last" }
      ])
    })
  )

  it.live("come with channels that are no text as bytes", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const { messages, received } = yield* collecting(connector.psubscribe(["a:*"]))
      yield* until("it is subscribed", patterns(node), (count) => count === 1)
      const channel = Buffer.from("613afffe", "hex")
      expect(yield* connector.command(["PUBLISH", channel, "x"])).toBe(1)
      yield* received(1)
      expect(messages).toEqual([{ channel, pattern: "a:*", message: "x" }])
    })
  )
})

/** What waits is bounded by the buffer; the stream itself holds at most as many again, which were taken out of it before. */
describe("a consumer that is slow", () => {
  const kept = Effect.fnUntraced(function* (options: SubscribeOptions | undefined, published: number) {
    const { connector, node } = yield* start()
    const taken: Array<string> = []
    let open = false
    yield* Effect.forkScoped(
      Stream.runForEach(connector.subscribe(["flood"], options), ({ message }) =>
        Effect.andThen(
          Effect.sync(() => void taken.push(String(message))),
          until(
            "it may go on",
            Effect.sync(() => open),
            (open) => open
          )
        )
      )
    )
    // So that it is known when the subscriber has all of them.
    const witness = yield* collecting(connector.subscribe(["flood"], { buffer: published + 1 }))
    yield* until("both are subscribed", subscribers(node, "flood"), ([count]) => count === 2)
    yield* publish(connector, "flood", "first")
    yield* until(
      "the first has come",
      Effect.sync(() => taken.length),
      (length) => length === 1
    )
    const flood = Array.from({ length: published }, (_, i) => String(i))
    yield* connector.pipeline(flood.map((text) => ["PUBLISH", "flood", text]))
    yield* witness.received(published + 1)
    yield* Effect.sleep(500)
    open = true
    yield* until(
      "the last has come",
      Effect.sync(() => taken.at(-1)),
      (last) => last === flood.at(-1)
    )
    return { taken, flood }
  })

  it.live("misses the oldest beyond the buffer, and none of the others", () =>
    Effect.gen(function* () {
      const { flood, taken } = yield* kept({ buffer: 10 }, 200)
      expect(taken[0]).toBe("first")
      const rest = taken.slice(1)
      expect(rest.slice(-10)).toEqual(flood.slice(-10))
      expect(rest.length).toBeLessThanOrEqual(20)
    })
  )

  it.live("has 1,024 kept where it gives no bound", () =>
    Effect.gen(function* () {
      const { flood, taken } = yield* kept(undefined, 3_000)
      const rest = taken.slice(1)
      expect(rest.slice(-1_024)).toEqual(flood.slice(-1_024))
      expect(rest.length).toBeLessThanOrEqual(2_048)
    })
  )
})

describe("a subscription is fenced first", () => {
  it.live.each(authentications)("$name", ({ args, options }) =>
    Effect.gen(function* () {
      const { connector, node } = yield* start(options, [...args, ...everything])
      yield* node.admin("SLOWLOG", "RESET")
      yield* node.admin("CONFIG", "RESETSTAT")
      const { messages, received } = yield* collecting(connector.subscribe(["news"]))
      yield* subscribed(node, "news")
      expect(yield* publish(connector, "news", "x")).toBe(1)
      yield* received(1)
      expect(messages).toEqual([on("news", "x")])
      const log = (yield* node.admin("SLOWLOG", "GET", "-1")) as ReadonlyArray<
        readonly [number, number, number, ReadonlyArray<string>]
      >
      const commands = log
        .toReversed()
        .map(([, , , [name = "", key]]) => (/^(get|subscribe)$/i.test(name) ? `${name} ${key}` : ""))
        .filter((command) => command !== "")
        .map((command) => command.toLowerCase())
      expect(commands).toEqual([`get ${VERSION_KEY}`, "subscribe news"])
      const { get, set, subscribe } = yield* executedOnKeys(node)
      expect({ get, set, subscribe }).toEqual({ get: 1, set: undefined, subscribe: 1 })
    })
  )

  it.live("under TLS", () =>
    Effect.gen(function* () {
      const certificates = certificatesFor("IP:127.0.0.1")
      const node = yield* TestNode.make(tlsNode(certificates))
      const tls = { ca: certificates.ca }
      const connector = yield* ConnectorWire4.make({ host: node.host, port: node.port, tls })
      const { messages, received } = yield* collecting(connector.subscribe(["news"]))
      yield* subscribed(node, "news")
      yield* publish(connector, "news", "x")
      yield* received(1)
      expect(messages).toEqual([on("news", "x")])
    })
  )

  it.live("on a foreign node it fails, and nothing is subscribed to", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      yield* node.admin("SET", VERSION_KEY, WIRE_6)
      yield* node.admin("CONFIG", "RESETSTAT")
      for (const stream of [connector.subscribe(["news"]), connector.psubscribe(["n*"])]) {
        const error = yield* Effect.flip(Stream.runDrain(stream))
        if (!(error instanceof VersionFence)) return expect.unreachable(error._tag)
        expect(error).toMatchObject({ expected: WIRE_4, got: WIRE_6 })
      }
      const counts = yield* node.counts
      expect(counts.subscribe).toBe(undefined)
      expect(counts.psubscribe).toBe(undefined)
      expect(counts.get?.calls).toBe(2)
      expect(yield* node.admin("PUBSUB", "CHANNELS")).toEqual([])
      expect(yield* node.writes).toBe(0)
      expect((yield* connector.status)._tag).toBe("Serving")
    })
  )
})

describe("a subscription survives", () => {
  it.live.each(authentications)("a restart of the node: $name", ({ args, options }) =>
    Effect.gen(function* () {
      const { connector, node } = yield* start(options, args)
      const { fiber, messages, received } = yield* collecting(connector.subscribe(["news", "more"]))
      yield* subscribed(node, "news", "more")
      yield* publish(connector, "news", "before")
      yield* received(1)
      for (let times = 1; times <= 2; times++) {
        yield* node.restart
        yield* until("it has reconnected", connector.stats, ({ reconnects }) => reconnects === times)
        yield* subscribed(node, "news", "more")
        // What comes the moment the server has subscribed it may be missed as yet.
        yield* until(
          "messages come again",
          Effect.andThen(
            publish(connector, "more", `after ${times}`),
            Effect.sync(() => messages.at(-1)?.message)
          ),
          (last) => last === `after ${times}`
        )
        expect(yield* publish(connector, "news", `at last ${times}`)).toBe(1)
        yield* until(
          "the last one has come",
          Effect.sync(() => messages.at(-1)?.message),
          (last) => last === `at last ${times}`
        )
      }
      expect(fiber.pollUnsafe()).toBe(undefined)
    })
  )

  it.live("the cut of its connection, with its pattern", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const { messages, received } = yield* collecting(connector.psubscribe(["n*"]))
      yield* until("it is subscribed", patterns(node), (count) => count === 1)
      yield* node.admin("CLIENT", "KILL", "TYPE", "PUBSUB")
      yield* until("it is subscribed again", patterns(node), (count) => count === 1)
      expect(yield* publish(connector, "news", "x")).toBe(1)
      yield* received(1)
      expect(messages).toEqual([{ channel: "news", pattern: "n*", message: "x" }])
      expect((yield* connector.stats).reconnects).toBe(0)
    })
  )
})

describe("a subscription ends", () => {
  it.live("with the fence, where the node is replaced by a foreign one, which keeps no subscriber", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const { fiber } = yield* collecting(connector.subscribe(["news"]))
      yield* subscribed(node, "news")
      yield* node.replace({ seed: [["SET", VERSION_KEY, WIRE_6]] })
      const error = yield* Effect.flip(Fiber.join(fiber))
      expect(error).toBe(yield* Effect.flip(connector.stopped))
      expect(error._tag).toBe("VersionFence")
      yield* unsubscribed(node, "news")
      yield* until("no connection is left", node.connections, (open) => open === 0)
      expect(yield* node.writes).toBe(0)
      expect(yield* keys(node)).toEqual([VERSION_KEY])
    })
  )

  it.live("with the connector, and one that begins later fails at once", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const scope = yield* Scope.make()
      const connector = yield* Scope.provide(ConnectorWire4.make({ host: node.host, port: node.port }), scope)
      const { fiber } = yield* collecting(connector.subscribe(["news"]))
      yield* subscribed(node, "news")
      yield* Scope.close(scope, Exit.void)
      expect((yield* Effect.flip(Fiber.join(fiber)))._tag).toBe("Closed")
      yield* unsubscribed(node, "news")
      yield* until("no connection is left", node.connections, (open) => open === 0)
      const received = yield* node.connectionsReceived
      expect((yield* Effect.flip(Stream.runDrain(connector.subscribe(["news"]))))._tag).toBe("Closed")
      expect(yield* node.connectionsReceived).toBe(received)
    })
  )

  it.live("when its consumer does, and then the server has no subscriber", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      const taken = yield* Effect.forkScoped(Stream.runCollect(Stream.take(connector.subscribe(["news"]), 2)))
      yield* subscribed(node, "news")
      yield* publish(connector, "news", "one")
      yield* publish(connector, "news", "two")
      expect(yield* Fiber.join(taken)).toEqual([on("news", "one"), on("news", "two")])
      yield* unsubscribed(node, "news")
      yield* until("one connection is left", node.connections, (open) => open === 1)

      const { fiber } = yield* collecting(connector.psubscribe(["n*"]))
      yield* until("it is subscribed", patterns(node), (count) => count === 1)
      yield* Fiber.interrupt(fiber)
      yield* until("it has unsubscribed", patterns(node), (count) => count === 0)
      yield* until("one connection is left", node.connections, (open) => open === 1)
      expect((yield* connector.status)._tag).toBe("Serving")
    })
  )

  it.live("where its user may not listen to one of the channels, and asks for none of them", () =>
    Effect.gen(function* () {
      const user = ["--user", "listener", "on", ">pw", "~*", "+@all", "resetchannels", "&allowed"]
      const { connector, node } = yield* start({ username: "listener", password: Redacted.make("pw") }, user)
      const error = yield* Effect.flip(Stream.runDrain(connector.subscribe(["allowed", "forbidden"])))
      expect(error).toMatchObject({ _tag: "ServerError", code: "NOPERM" })
      expect((yield* Effect.flip(Stream.runDrain(connector.psubscribe(["a*"]))))._tag).toBe("ServerError")
      expect((yield* node.executed).subscribe ?? 0).toBe(0)
      const { fiber } = yield* collecting(connector.subscribe(["allowed"]))
      yield* subscribed(node, "allowed")
      yield* Fiber.interrupt(fiber)
    })
  )

  it.live("where the node cannot be had, and says so", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* start()
      yield* node.kill
      const error = yield* Effect.flip(Stream.runDrain(connector.subscribe(["news"])))
      expect(error).toMatchObject({ _tag: "ConnectFailed", reason: "refused" })
    })
  )
})
