import type { Status } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import { describe, expect, it } from "@effect/vitest"
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader
} from "@opentelemetry/sdk-metrics"
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { Effect, Layer, Logger, References, Stream } from "effect"
import { ConnectorWire4 } from "../src/index.ts"

const serving = (statuses: Stream.Stream<Status>) =>
  Stream.runHead(Stream.filter(statuses, ({ _tag }) => _tag === "Serving"))

const loseAndServeAgain = Effect.fnUntraced(function* (
  node: TestNode["Service"],
  connector: Effect.Success<ReturnType<typeof ConnectorWire4.make>>
) {
  yield* node.admin("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
  yield* Stream.runHead(Stream.filter(connector.changes, ({ _tag }) => _tag === "Down"))
  yield* serving(connector.changes)
})

describe("with a tracer", () => {
  it.live("each call is a client span in the conventions for databases, under its caller's", () =>
    Effect.gen(function* () {
      const exporter = new InMemorySpanExporter()
      const spans: Array<ReadableSpan> = []
      const telemetry = NodeSdk.layer(() => ({
        resource: { serviceName: "test" },
        spanProcessor: new SimpleSpanProcessor(exporter)
      }))
      const node = yield* TestNode.make()
      const connector = yield* ConnectorWire4.make({ port: node.port, database: 2 })
      yield* Effect.gen(function* () {
        yield* connector.command(["set", "secret key", "secret value"])
        yield* connector.pipeline([
          ["INCR", "n"],
          ["INCR", "n"]
        ])
        yield* connector.transaction([
          ["INCR", "n"],
          ["GET", "n"]
        ])
        yield* Effect.flip(connector.command(["LPUSH", "n", "x"]))
      }).pipe(
        Effect.withSpan("caller"),
        // They are gone when the layer is.
        Effect.ensuring(Effect.sync(() => spans.push(...exporter.getFinishedSpans()))),
        Effect.provide(telemetry)
      )

      const caller = spans.find(({ name }) => name === "caller")
      const calls = spans.filter(({ name }) => name !== "caller")
      expect(calls.map(({ name }) => name)).toEqual(["SET", "PIPELINE INCR", "MULTI", "LPUSH"])
      for (const call of calls) {
        expect(call.kind).toBe(2)
        expect(call.parentSpanContext?.spanId).toBe(caller?.spanContext().spanId)
        expect(call.attributes).toMatchObject({
          "db.system.name": "redis",
          "db.namespace": "2",
          "db.operation.name": call.name,
          "server.address": "127.0.0.1",
          "server.port": node.port
        })
      }
      expect(calls[1]?.attributes).toMatchObject({ "db.operation.batch.size": 2 })
      expect(calls[3]?.attributes).toMatchObject({
        "error.type": "ServerError",
        "db.response.status_code": "WRONGTYPE"
      })
      expect(calls[3]?.status.code).toBe(2)
      expect(JSON.stringify(calls.map(({ attributes }) => attributes))).not.toContain("secret")
    })
  )
})

describe("metrics", () => {
  it.live("count calls, errors by tag, connects by outcome and reconnects, and time the batches", () =>
    Effect.gen(function* () {
      const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
      const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
      const telemetry = NodeSdk.layer(() => ({ resource: { serviceName: "test" }, metricReader: reader }))
      const points = (name: string) =>
        exporter
          .getMetrics()
          .flatMap(({ scopeMetrics }) => scopeMetrics)
          .flatMap(({ metrics }) => metrics)
          .findLast(({ descriptor }) => descriptor.name === name)?.dataPoints ?? []
      const calls = Effect.promise(() => reader.forceFlush()).pipe(
        Effect.map(() => Number(points("echomq.calls")[0]?.value ?? 0))
      )
      let before = 0
      yield* Effect.scoped(
        Effect.gen(function* () {
          const node = yield* TestNode.make()
          const connector = yield* ConnectorWire4.make({ port: node.port })
          before = yield* calls
          for (let i = 0; i < 10; i++) yield* connector.command(["INCR", "n"])
          yield* Effect.flip(connector.command(["LPUSH", "n", "x"]))
          yield* until("they are counted, while it serves", calls, (now) => now >= before + 11)
          yield* loseAndServeAgain(node, connector)
          yield* connector.command(["INCR", "n"])
          yield* node.replace({ seed: [["SET", "{emq}:version", "x"]] })
          yield* Effect.flip(connector.stopped)
          yield* Effect.promise(() => reader.forceFlush())
        })
      ).pipe(Effect.provide(telemetry))

      const by = (attribute: string, name: string) =>
        Object.fromEntries(
          points(name).map(({ attributes, value }) => [attributes[attribute], Number(value)])
        )
      // The registry is the process's: other tests of this file count too.
      expect(points("echomq.calls")[0]?.value).toBeGreaterThanOrEqual(before + 12)
      expect(points("echomq.reconnects")[0]?.value).toBeGreaterThanOrEqual(1)
      expect(by("error.type", "echomq.errors").ServerError).toBeGreaterThanOrEqual(1)
      expect(by("key", "echomq.connects").Serving).toBeGreaterThanOrEqual(2)
      expect(by("key", "echomq.connects").VersionFence).toBeGreaterThanOrEqual(1)
      expect(points("echomq.in_flight")[0]?.value ?? 0).toBe(0)
      expect(points("echomq.latency")[0]?.value).toMatchObject({ count: expect.any(Number) })
    })
  )
})

describe("log lines", () => {
  it.live("tell each change of state, with the wire and the address", () =>
    Effect.gen(function* () {
      const lines: Array<{ readonly level: string; readonly message: string; readonly notes: object }> = []
      const logger = Logger.make(({ fiber, logLevel, message }) => {
        lines.push({
          level: logLevel,
          message: String(message),
          notes: fiber.getRef(References.CurrentLogAnnotations)
        })
      })
      const node = yield* TestNode.make()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const connector = yield* ConnectorWire4.make({ port: node.port })
          yield* loseAndServeAgain(node, connector)
          yield* node.replace({ seed: [["SET", "{emq}:version", "x"]] })
          yield* Effect.flip(connector.stopped)
        })
      ).pipe(
        Effect.provide(Layer.mergeAll(Logger.layer([logger]))),
        Effect.provideService(References.MinimumLogLevel, "Info")
      )
      const told = lines.map(({ level, message }) => `${level} ${message}`)
      expect(told.filter((line) => !line.includes("refused"))).toEqual([
        "Info serving",
        "Warn down: the connection was lost",
        "Info serving again",
        "Warn down: the connection was lost",
        'Error stopped for good: expected echomq:4.0.0 but found "x"'
      ])
      for (const { notes } of lines) {
        expect(notes).toEqual({ "echomq.wire": 4, "server.address": `127.0.0.1:${node.port}` })
      }
    })
  )

  it.live("go to a logger that may throw: the start ends by that, and does not wait for ever", () =>
    Effect.gen(function* () {
      const broken = Logger.make(() => {
        throw new Error("no space left")
      })
      const node = yield* TestNode.make()
      const exit = yield* ConnectorWire4.make({ port: node.port }).pipe(
        Effect.provide(Logger.layer([broken])),
        Effect.provideService(References.MinimumLogLevel, "Info"),
        Effect.exit
      )
      expect(String(exit)).toContain("no space left")
      yield* until("it has disconnected", node.connections, (open) => open === 0)
    })
  )
})
