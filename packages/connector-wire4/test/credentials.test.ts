import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { inspect } from "node:util"
import { Connector, VERSION_KEY } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { answering, rawServer } from "@echomq/test-node/rawServer"
import { shownForms } from "@echomq/test-node/secrets"
import { until } from "@echomq/test-node/until"
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import { describe, expect, it } from "@effect/vitest"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { ConfigProvider, Effect, Layer, Logger, Redacted, References, Stream } from "effect"
import { ConnectorWire4, type Options } from "../src/index.ts"

/** One that no other text has in it, with what a printer or a URL would escape. */
const FIRST = "frst-s3krit%\u00e9"
const SECOND = "scnd-s3krit%\u00e9"
const WRONG = "wrng-s3krit%\u00e9"

const secret = /s3krit/

const everyForm = (value: unknown): string =>
  inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true })

/** Everything that is said while an effect runs: to the console, in log lines and in spans. */
const overheard = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const streams = [process.stdout, process.stderr]
    const writes = streams.map((stream) => stream.write)
    for (const stream of streams) {
      stream.write = (chunk: string | Uint8Array) => said.push(Buffer.from(chunk as string).toString()) > 0
    }
    const logger = Logger.make(({ cause, fiber, message }) => {
      said.push(everyForm([message, cause, fiber.getRef(References.CurrentLogAnnotations)]))
    })
    const exporter = new InMemorySpanExporter()
    const telemetry = NodeSdk.layer(() => ({
      resource: { serviceName: "test" },
      spanProcessor: new SimpleSpanProcessor(exporter)
    }))
    yield* effect.pipe(
      Effect.ensuring(
        Effect.sync(() => {
          const spans = exporter.getFinishedSpans()
          expect(spans.length).toBeGreaterThan(0)
          for (const { attributes, events, name, status } of spans) {
            said.push(everyForm([name, attributes, events, status]))
          }
        })
      ),
      Effect.provide(
        Layer.mergeAll(Logger.layer([logger, Logger.consolePretty(), Logger.consoleJson]), telemetry)
      ),
      Effect.provideService(References.MinimumLogLevel, "All"),
      Effect.ensuring(
        Effect.sync(() => {
          for (const [i, stream] of streams.entries()) Object.assign(stream, { write: writes[i] })
        })
      )
    )
    return said
  })

const expectHidden = (...values: ReadonlyArray<unknown>) => {
  for (const value of values) {
    for (const shown of [...shownForms(value), everyForm(value)]) expect(shown).not.toMatch(secret)
  }
}

const node = TestNode.make({ args: ["--requirepass", FIRST] })

describe("a password", () => {
  it.live("is said nowhere while it is right, wrong, changed and changed for both", () =>
    Effect.gen(function* () {
      const { admin, host, port } = yield* node
      const change = Effect.fnUntraced(function* (password: string) {
        yield* admin("CONFIG", "SET", "requirepass", password)
        yield* admin("CLIENT", "KILL", "TYPE", "NORMAL", "SKIPME", "YES")
      })
      let password = FIRST
      const options: Options = {
        host,
        port,
        password: Effect.sync(() => Redacted.make(password)),
        backoff: { base: 10, max: 50 }
      }
      const life = Effect.scoped(
        Effect.gen(function* () {
          const connector = yield* ConnectorWire4.make(options)
          yield* Effect.forkScoped(Stream.runDrain(connector.subscribe(["channel"])))
          const wrong = { ...options, password: Redacted.make(WRONG) }
          expectHidden(yield* Effect.flip(Effect.scoped(ConnectorWire4.make(wrong))), wrong)
          expectHidden(yield* Effect.flip(connector.command(["AUTH", FIRST])))
          expectHidden(yield* Effect.flip(connector.command(["LPUSH", VERSION_KEY, "a"])))
          password = SECOND
          yield* change(SECOND)
          yield* until("it serves again", connector.stats, ({ reconnects }) => reconnects === 1)
          expect(yield* connector.command(["PING"])).toBe("PONG")
          expectHidden(connector, yield* connector.status, yield* connector.stats, options)
          yield* change(FIRST)
          const refused = yield* Effect.flip(connector.stopped)
          expect(refused._tag).toBe("AuthRefused")
          expectHidden(refused, yield* connector.status, yield* Effect.flip(connector.command(["PING"])))
          const subscription = yield* Effect.flip(Stream.runDrain(connector.subscribe(["channel"])))
          expectHidden(subscription, connector)
        })
      )
      const said = yield* overheard(life)
      expect(said.join("\n")).toContain("stopped for good")
      expect(said.join("\n")).not.toMatch(secret)
    })
  )

  it.live("is said nowhere where it comes by EMQ_URL, right, wrong or malformed", () =>
    Effect.gen(function* () {
      const { host, port } = yield* node
      const start = (url: string) =>
        Effect.gen(function* () {
          return yield* (yield* Connector).command(["PING"])
        }).pipe(
          Effect.provide(ConnectorWire4.layerConfig()),
          Effect.provideService(
            ConfigProvider.ConfigProvider,
            ConfigProvider.fromEnv({ env: { EMQ_URL: url } })
          )
        )
      const url = (password: string) => `valkey://:${password}@${host}:${port}`
      const said = yield* overheard(
        Effect.gen(function* () {
          expect(yield* start(url(encodeURIComponent(FIRST)))).toBe("PONG")
          for (const password of [encodeURIComponent(WRONG), WRONG, "s3krit%zz", "s3krit#", "s3krit/x?"]) {
            const error = yield* Effect.flip(Effect.tapError(start(url(password)), Effect.logError))
            expectHidden(error)
          }
        }).pipe(Effect.withSpan("configured"))
      )
      expect(said.join("\n")).not.toMatch(secret)
    })
  )
})

/** How a server may begin an error, each of which the boot takes for something else. */
const codes = ["ERR", "WRONGPASS", "NOAUTH", "NOPERM", "LOADING", "DENIED"]

describe.concurrent("a password that the server repeats in an error", () => {
  for (const step of ["AUTH", "SELECT", "CLIENT", "GET"]) {
    it.live(`to ${step} is in no form of the failure, and in no log line`, () =>
      Effect.forEach(
        codes,
        Effect.fnUntraced(function* (code) {
          const server = yield* rawServer(
            answering((name) => (name === step ? `-${code} you said s3krit\u00e9 before` : "+OK"))
          )
          const { host, port } = server
          const password = Redacted.make("s3krit\u00e9")
          const error = yield* Effect.flip(
            Effect.scoped(ConnectorWire4.make({ host, port, password, database: 1, clientName: "emq" }))
          )
          expect(error.message).toContain("you said <redacted> before")
          expectHidden(error)
        }, Effect.scoped),
        { concurrency: "unbounded", discard: true }
      )
    )
  }
})

describe("the driver's own log", () => {
  it.live("has no password in it, though the application has it tell everything", () =>
    Effect.gen(function* () {
      const { port } = yield* node
      const program = fileURLToPath(new URL("support/verbose.ts", import.meta.url))
      const output = yield* Effect.callback<string>((resume) => {
        const args = [program, String(port), FIRST, WRONG]
        const child = execFile(process.execPath, args, { timeout: 50_000 }, (_, stdout, stderr) =>
          resume(Effect.succeed(stdout + stderr))
        )
        return Effect.sync(() => child.kill("SIGKILL"))
      })
      expect(output).toContain("= 1\n")
      expect(output).toContain("= AuthRefused\n")
      expect(output).toMatch(/trace|debug/i)
      expect(output).not.toMatch(secret)
    })
  )
})
