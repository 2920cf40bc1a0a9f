/**
 * The traps of the driver. Each has a guard, and a test that fails without it:
 *
 * | trap | guard, in `src/link/` | fails without it |
 * | --- | --- | --- |
 * | a reply that is not UTF-8 is lost | `Decoder.Bytes`, in `glide/GlideLink.ts` | `reply.test.ts`: a reply that is not UTF-8 |
 * | a message that is not UTF-8 ends the process | `Decoder.Bytes`, in `glide/Subscribe.ts` | `subscribe.test.ts`: that are no text are bytes |
 * | GLIDE reconnects by itself | the pin, in `glide/GlideLink.ts`; its proof, in `Boot.ts` | `pin.test.ts`: the pin holds; `boot.test.ts`: a server that accepts any password |
 * | the pin does not hold in RESP3 | `ProtocolVersion.RESP2`, in `glide/GlideLink.ts` | `pin.test.ts`: default user, no password |
 * | `AUTH` by itself undoes the pin | the boot is one batch, in `Boot.ts` | `pin.test.ts`: the pin holds |
 * | so does a caller's | `Refusal.ts` of the keyspace | `pin.test.ts`, `refusal.test.ts` |
 * | `numberOfRetries: 0` spins for ever | 1, in `glide/GlideLink.ts` | below: leaves the process idle |
 * | a failed `createClient` leaks its reconnects | no credentials, and `close` in `glide/Dial.ts` | `boot.test.ts`: nothing left behind |
 * | a dead address is found late or never | the knock, in `glide/Dial.ts`; the deadline, in `Boot.ts` | `boot.test.ts`: a port that … |
 * | TLS that fails has no reason | the knock's handshake, in `glide/Knock.ts` | `boot.test.ts`: a certificate … |
 * | a self-signed certificate is refused though it is the authority | none: the start fails, typed | below |
 * | error text is rewritten | `glide/ErrorText.ts` | `error-text.test.ts` |
 * | warnings on standard output | `Logger.init("off")`, in `glide/GlideLink.ts` | below |
 * | replies are reshaped by name | `glide/ReplyForm.ts` | `reply.test.ts`: a reply has one form |
 * | `+OK` is text among bytes | `glide/ReplyForm.ts` | `reply.test.ts`: a reply has one form |
 * | integers beyond 2^53 are rounded | `InexactInteger`, in `glide/ReplyForm.ts` | `reply.test.ts`: an integer beyond 2^53 |
 * | requests time out after 250 ms | `requestTimeout`, in `glide/GlideLink.ts` | below |
 * | more than 50 requests at once lose their order | the window, in `Outbox.ts` | `outbox.test.ts`: the order of calls |
 * | an idle loss is not told | `glide/LossHint.ts` | `return.test.ts`: a loss is noticed |
 * | a closed client holds on while a command blocks | `glide/Relay.ts` | `lane.test.ts` |
 *
 * What follows pins the traps themselves, so that a driver without one, or with another, is noticed.
 */
import { execFile } from "node:child_process"
import { connect } from "node:tls"
import { fileURLToPath } from "node:url"
import { TestNode } from "@echomq/test-node"
import { badServer } from "@echomq/test-node/badServer"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import {
  type BaseClientConfiguration,
  Batch,
  ClosingError,
  Decoder,
  GlideClient,
  type GlideClientConfiguration,
  getStatistics,
  NodeDiscoveryMode,
  ProtocolVersion,
  TimeoutError
} from "@valkey/valkey-glide"
import { Effect } from "effect"
import { ConnectorWire4 } from "../src/index.ts"
import { selfSigned, tlsNode } from "./support/certificates.ts"

type Node = TestNode["Service"]

/** The driver as a link sets it up, less the pin. */
const glide = ({ host, port }: Node, settings: Partial<GlideClientConfiguration> = {}) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      GlideClient.createClient({
        addresses: [{ host, port }],
        protocol: ProtocolVersion.RESP2,
        nodeDiscoveryMode: NodeDiscoveryMode.Static,
        requestTimeout: 5_000,
        connectionBackoff: { numberOfRetries: 1, factor: 100, exponentBase: 2 },
        ...settings
      } satisfies BaseClientConfiguration & GlideClientConfiguration)
    ),
    (client) => Effect.sync(() => client.close())
  )

const bytes = { decoder: Decoder.Bytes }

const ask = (client: GlideClient, ...args: ReadonlyArray<string | Buffer>) =>
  Effect.tryPromise({
    try: () => client.customCommand([...args], bytes) as Promise<unknown>,
    catch: (error) => error as Error
  })

const text = (value: unknown): unknown =>
  value instanceof Uint8Array
    ? `bytes ${value.toString()}`
    : Array.isArray(value)
      ? value.map(text)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, text(part)]))
        : value

const cut = (node: Node) => node.admin("CLIENT", "KILL", "TYPE", "NORMAL", "SKIPME", "YES")

/** Runs a program of `support/` in a process of its own; `while` it lasts, its lines may be waited for. */
const run = (program: string, ...args: ReadonlyArray<string>) =>
  Effect.callback<{
    readonly code: number | string | null
    readonly lines: ReadonlyArray<string>
    readonly errors: string
  }>((resume) => {
    const path = fileURLToPath(new URL(`support/${program}.ts`, import.meta.url))
    const child = execFile(process.execPath, [path, ...args], { timeout: 50_000 }, (error, stdout, stderr) =>
      resume(
        Effect.succeed({
          code: error === null ? 0 : (error.code ?? error.signal ?? null),
          lines: stdout.split("\n").filter((line) => line !== ""),
          errors: stderr
        })
      )
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const trap = (name: string, node: Node) => run("glideTraps", name, String(node.port))

const PASSWORD = "secret"

const locked = TestNode.make({ args: ["--requirepass", PASSWORD] })

/** A pinned client that has logged in by `login`, and whose connection was cut since: does it serve again? */
const comesBack = Effect.fnUntraced(function* (login: (client: GlideClient) => Promise<unknown>) {
  const node = yield* locked
  const client = yield* glide(node, { requestTimeout: 500 })
  yield* Effect.promise(() => client.updateConnectionPassword("pin", false))
  yield* Effect.promise(() => login(client))
  expect(yield* ask(client, "INCR", "n")).toBe(1)
  yield* cut(node)
  for (let tries = 0; tries < 10; tries++) {
    const served = yield* Effect.isSuccess(ask(client, "INCR", "n"))
    if (served) return true
    yield* Effect.sleep(100)
  }
  return false
})

describe.concurrent("the pin of a client", () => {
  it.live("holds where the login was part of a batch", () =>
    Effect.gen(function* () {
      const batch = new Batch(false).customCommand(["AUTH", PASSWORD]).customCommand(["PING"])
      expect(yield* comesBack((client) => client.exec(batch, true))).toBe(false)
    })
  )

  it.live("is undone by a login by itself", () =>
    Effect.gen(function* () {
      expect(yield* comesBack((client) => client.customCommand(["AUTH", PASSWORD]))).toBe(true)
    })
  )

  it.live("does not hold in RESP3, where the default user has no password; in RESP2 it does", () =>
    Effect.gen(function* () {
      const back = Effect.fnUntraced(function* (protocol: ProtocolVersion) {
        const node = yield* TestNode.make()
        const client = yield* glide(node, { protocol, requestTimeout: 500 })
        yield* Effect.promise(() => client.updateConnectionPassword("pin", false))
        yield* cut(node)
        for (let tries = 0; tries < 10; tries++) {
          if (yield* Effect.isSuccess(ask(client, "PING"))) return true
          yield* Effect.sleep(100)
        }
        return false
      })
      expect(yield* back(ProtocolVersion.RESP3)).toBe(true)
      expect(yield* back(ProtocolVersion.RESP2)).toBe(false)
    })
  )
})

describe("the driver", () => {
  it.live("rewrites errors", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed: [["SET", "string", "a"]] })
      const client = yield* glide(node)
      const said = (...args: ReadonlyArray<string>) =>
        Effect.map(Effect.flip(ask(client, ...args)), ({ message }) => message)
      expect(yield* said("LPUSH", "string", "a")).toBe(
        "WRONGTYPE: Operation against a key holding the wrong kind of value"
      )
      expect(yield* said("NOSUCH")).toBe(
        "An error was signalled by the server: - ResponseError: unknown command 'NOSUCH', with args beginning with: "
      )
      expect(yield* said("EVALSHA", "f".repeat(40), "0")).toBe(
        "An error was signalled by the server: - NoScriptError: No matching script."
      )
    })
  )

  it.live("reshapes replies by the command's name, and gives +OK as text among bytes", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const client = yield* glide(node)
      const reply = (...args: ReadonlyArray<string>) => Effect.map(ask(client, ...args), text)
      expect(yield* reply("SET", "a", "1")).toBe("OK")
      expect(yield* reply("PING")).toBe("bytes PONG")
      yield* reply("HSET", "h", "f", "v")
      expect(yield* reply("HGETALL", "h")).toEqual([{ key: "bytes f", value: "bytes v" }])
      expect(yield* reply("CONFIG", "GET", "maxmemory")).toEqual([
        { key: "bytes maxmemory", value: "bytes 0" }
      ])
      yield* reply("XADD", "x", "1-1", "f", "v")
      expect(yield* reply("XRANGE", "x", "-", "+")).toEqual([
        { key: "bytes 1-1", value: [["bytes f", "bytes v"]] }
      ])
      yield* reply("ZADD", "z", "1.5", "m")
      expect(yield* reply("ZSCORE", "z", "m")).toBe(1.5)
    })
  )

  it.live("loses a reply that is not UTF-8, under its own decoder", () =>
    Effect.gen(function* () {
      const client = yield* glide(yield* TestNode.make())
      yield* ask(client, "SET", "key", Buffer.from([0xff]))
      const get = () => client.customCommand(["GET", "key"], { decoder: Decoder.String })
      const error = yield* Effect.flip(Effect.tryPromise({ try: get, catch: (error) => error as Error }))
      expect(error.message).toMatch(/^Decoding error: .* could be UNRECOVERABLY LOST\.$/s)
    })
  )

  it.live("rounds integers beyond 2^53", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const client = yield* glide(node)
      expect(yield* ask(client, "INCRBY", "n", "9007199254740993")).toBe(9007199254740992)
      expect(yield* node.admin("GET", "n")).toBe("9007199254740993")
    })
  )

  it.live("keeps the order of 50 requests at once, and not of many more", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const client = yield* glide(node, { requestTimeout: 20_000, inflightRequestsLimit: 10_000 })
      const inOrder = Effect.fnUntraced(function* (key: string, count: number) {
        yield* node.pause
        const pushes: Array<Promise<unknown>> = []
        for (let value = 0; value < count; value++) {
          pushes.push(client.customCommand(["RPUSH", key, String(value)]))
          yield* Effect.yieldNow
        }
        yield* Effect.sleep(200)
        yield* node.resume
        yield* Effect.promise(() => Promise.all(pushes))
        const list = (yield* node.admin("LRANGE", key, 0, -1)) as ReadonlyArray<string>
        return list.every((value, place) => value === String(place))
      })
      for (let round = 0; round < 5; round++) expect(yield* inOrder(`few:${round}`, 50)).toBe(true)
      const many: Array<boolean> = []
      for (let round = 0; round < 5; round++) many.push(yield* inOrder(`many:${round}`, 2_000))
      expect(many).toContain(false)
    })
  )

  it.live("counts a lost connection out, and says nothing else of it", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const client = yield* glide(node)
      yield* Effect.promise(() => client.updateConnectionPassword("pin", false))
      const count = () =>
        Number((getStatistics() as { readonly total_connections: string }).total_connections)
      const before = count()
      expect(before).toBeGreaterThan(0)
      yield* cut(node)
      yield* until("it is counted out", Effect.sync(count), (now) => now < before)
    })
  )

  it.live("gives a request 250 ms by default, and the connector gives it its own time", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { host, port } = node
      const client = yield* Effect.promise(() => GlideClient.createClient({ addresses: [{ host, port }] }))
      const patient = yield* glide(node, { requestTimeout: 10_000 })
      const connector = yield* ConnectorWire4.make({ host, port })
      const began = performance.now()
      expect(yield* Effect.flip(ask(client, "DEBUG", "SLEEP", "1.5"))).toBeInstanceOf(TimeoutError)
      const took = performance.now() - began
      expect(took).toBeGreaterThan(200)
      expect(took).toBeLessThan(1_400)
      client.close()
      expect(yield* ask(patient, "DEBUG", "SLEEP", "0.7")).toBe("OK")
      expect(yield* connector.command(["DEBUG", "SLEEP", "0.7"])).toBe("OK")
    })
  )

  it.live("refuses a self-signed certificate that is its own authority, which OpenSSL accepts", () =>
    Effect.gen(function* () {
      const own = selfSigned("IP:127.0.0.1")
      const { host, port } = yield* TestNode.make(tlsNode(own))
      expect(
        yield* Effect.callback<boolean>((resume) => {
          const socket = connect({ host, port, ca: own.ca }, () => {
            resume(Effect.succeed(socket.authorized))
            socket.destroy()
          })
        })
      ).toBe(true)
      const options = { host, port, tls: { ca: own.ca }, connectTimeout: 1_500 }
      const error = yield* Effect.flip(Effect.scoped(ConnectorWire4.make(options)))
      expect(error).toMatchObject({
        _tag: "ConnectFailed",
        reason: expect.stringMatching(/^(timeout|closed)$/)
      })
    })
  )

  it.live("fails a command after close with ClosingError", () =>
    Effect.gen(function* () {
      const client = yield* glide(yield* TestNode.make())
      client.close()
      expect(yield* Effect.flip(ask(client, "PING"))).toBeInstanceOf(ClosingError)
    })
  )

  it.live(
    "holds on to a closed client's connection: for seconds at most, but as long as a command blocks",
    () =>
      Effect.gen(function* () {
        const idle = yield* TestNode.make()
        const blocked = yield* TestNode.make()
        ;(yield* glide(idle)).close()
        const client = yield* glide(blocked, { requestTimeout: 60_000 })
        const waits = client.customCommand(["BLPOP", "list", "0"]).catch(() => {})
        yield* until("it blocks", blocked.admin("INFO", "clients"), (info) =>
          String(info).includes("blocked_clients:1")
        )
        client.close()
        yield* until("the idle one is gone", idle.connections, (open) => open === 0)
        yield* Effect.sleep("4 seconds")
        expect(yield* blocked.connections).toBe(1)
        yield* blocked.admin("RPUSH", "list", "a")
        yield* Effect.promise(() => waits)
      })
  )
})

describe.concurrent("in a process of its own, the driver", () => {
  it.live("ends it by a message that is not UTF-8, under its own decoder", () =>
    Effect.gen(function* () {
      const { code, errors, lines } = yield* trap("notUtf8", yield* TestNode.make())
      expect(lines).toEqual(['"text"'])
      expect(code).not.toBe(0)
      expect(errors).toMatch(/utf-?8/i)
    })
  )

  it.live("creates a client of a dead address, whose first command times out, without a reason", () =>
    Effect.gen(function* () {
      const { lines } = yield* trap("deadAddress", yield* TestNode.make())
      expect(lines.at(-1)).toBe('["success","success","TimeoutError"]')
    })
  )

  it.live("creates a client whose TLS has failed, and gives no reason", () =>
    Effect.gen(function* () {
      const { lines } = yield* trap("failedTls", yield* TestNode.make())
      expect(lines.at(-1)).toBe('["success","success","TimeoutError"]')
    })
  )

  it.live("goes on connecting after creations that have failed", () =>
    Effect.gen(function* () {
      const node = yield* locked
      const { lines } = yield* trap("leak", node)
      expect(lines.at(-1)).toBe('"failed"')
      // Three creations, each of which may try twice.
      expect(yield* node.connectionsReceived).toBeGreaterThan(8)
    })
  )

  it.live("spins after a creation that has failed, where it may not retry", () =>
    Effect.gen(function* () {
      const { lines } = yield* trap("spins", yield* locked)
      expect(Number(lines.at(-1))).toBeGreaterThan(300)
    })
  )

  it.live("leaves the process idle after the connector's has failed", () =>
    Effect.gen(function* () {
      const { port } = yield* badServer("setup", (socket) => socket.end())
      const { lines } = yield* run("idles", String(port))
      expect(lines.at(-2)).toBe("= ConnectFailed")
      expect(Number(lines.at(-1)?.slice(2))).toBeLessThan(300)
    })
  )

  it.live("prints to standard output, unless its logger is off", () =>
    Effect.gen(function* () {
      const node = yield* locked
      expect((yield* trap("prints", node)).lines).not.toEqual([])
      expect((yield* trap("isQuiet", node)).lines).toEqual([])
    })
  )

  it.live("prints nothing under the connector", () =>
    Effect.gen(function* () {
      const { host, port } = yield* badServer("setup", (socket) => socket.end())
      const boots = [{ host, port, connectTimeout: 1_000 }]
      const { lines } = yield* run("boots", JSON.stringify(boots))
      expect(lines.filter((line) => !/ WARN \(#\d+\): down: /.test(line))).toEqual([
        "= ConnectFailed",
        "= done"
      ])
    })
  )
})
