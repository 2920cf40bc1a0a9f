import {
  BUS,
  ClientRule,
  type Connector,
  EmqAbsent,
  JOB_CORE,
  VERSION_KEY,
  VersionFence,
  WIRE_4,
  WIRE_6
} from "@echomq/keyspace"
import { type NodeOptions, TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { ConnectorWire6 } from "../src/index.ts"
import { executed, keys } from "./support/statistics.ts"

/** Longer than the driver holds on to a client that was closed, and than the longest pause before a reconnect. */
const QUIET = "3 seconds"

const seed = [["SET", VERSION_KEY, WIRE_6]]
const good: NodeOptions = { seed, module: modulePath() }
const command = ["EMQ.ENQUEUE", 1, "emq:{q}:pending", "a"]

interface Writer {
  acknowledged: number
  /** Calls of which the writer cannot know whether they were executed. */
  cutOff: number
}

/** Four writers that enqueue without a pause until they are told to stop, or the connector is stopped. */
const write = Effect.fnUntraced(function* (connector: Connector["Service"]) {
  let stopping = false
  const writers: ReadonlyArray<Writer> = Array.from({ length: 4 }, () => ({ acknowledged: 0, cutOff: 0 }))
  const loop = Effect.fnUntraced(function* (writer: Writer) {
    while (!stopping) {
      const error = yield* connector.command(command).pipe(
        Effect.as(null),
        Effect.catchTag("Disconnected", (error) => Effect.as(Effect.sleep(1), error))
      )
      if (error === null) writer.acknowledged++
      else if (error.outcome === "unknown") writer.cutOff++
    }
  })
  const fibers = yield* Effect.forEach(writers, (writer) => Effect.forkScoped(Effect.result(loop(writer))))
  const ended = Fiber.joinAll(fibers)
  const acknowledged = () => writers.reduce((sum, writer) => sum + writer.acknowledged, 0)
  const atWork = Effect.suspend(() => {
    const enough = acknowledged() + 500
    return until("the writers are at work", Effect.sync(acknowledged), (count) => count >= enough)
  })
  const stop = Effect.suspend(() => {
    stopping = true
    return ended
  })
  return { acknowledged, atWork, ended, stop, writers }
})

/** A connector on a good node with its writers at work. */
const underWrites = Effect.gen(function* () {
  const node = yield* TestNode.make(good)
  const connector = yield* ConnectorWire6.make({ host: node.host, port: node.port })
  const writers = yield* write(connector)
  yield* writers.atWork
  return { connector, node, writers }
})

const loaded = (variant: Parameters<typeof modulePath>[0]) => ({ seed, module: modulePath(variant) })

/** What a node is replaced by, what the connector is stopped with, and what the new node executed for it. */
const replacements: ReadonlyArray<
  readonly [name: string, options: NodeOptions, error: object, executed: Readonly<Record<string, number>>]
> = [
  [
    "a token short",
    loaded("token-short"),
    new ClientRule({ missing: ["stalled.check"] }),
    { "emq.version": 1 }
  ],
  [
    "of another major",
    loaded("major"),
    new ClientRule({ major: { expected: 0, got: 1 }, missing: [] }),
    { "emq.version": 1 }
  ],
  [
    "of another wire",
    loaded("wire"),
    new ClientRule({ wire: { expected: WIRE_6, got: "echomq:7.0.0" }, missing: [] }),
    { "emq.version": 1 }
  ],
  [
    "without the module",
    { seed },
    new EmqAbsent({ message: "ERR unknown command 'EMQ.VERSION', with args beginning with: " }),
    {}
  ],
  [
    "that nobody has installed",
    { module: modulePath() },
    new VersionFence({ expected: WIRE_6, got: null }),
    { "emq.version": 1, get: 1 }
  ],
  [
    "that was claimed",
    { module: modulePath(), seed: [["SET", VERSION_KEY, WIRE_4]] },
    new VersionFence({ expected: WIRE_6, got: WIRE_4, bytes: Buffer.from(WIRE_4) }),
    { "emq.version": 1, get: 1 }
  ]
]

describe.concurrent("under writes, the node is replaced by one", () => {
  it.live.each(replacements)("%s", ([, options, expected, onlyThis]) =>
    Effect.gen(function* () {
      const { connector, node, writers } = yield* underWrites
      yield* node.replace(options)
      const error = yield* Effect.flip(connector.stopped)
      expect(error).toMatchObject({ ...expected })
      const received = yield* node.connectionsReceived
      for (const end of yield* writers.ended) expect(Result.getOrThrow(Result.flip(end))).toBe(error)
      yield* Effect.sleep(QUIET)
      expect(yield* node.connectionsReceived).toBe(received)
      expect(yield* node.connections).toBe(0)

      expect(yield* connector.status).toMatchObject({ _tag: "Stopped", error })
      expect(yield* Effect.flip(connector.command(command))).toBe(error)
      expect(yield* Effect.flip(connector.pipeline([command]))).toBe(error)
      expect(yield* Effect.flip(connector.transaction([command]))).toBe(error)
      expect((yield* connector.stats).reconnects).toBe(0)

      expect(yield* executed(node)).toEqual(onlyThis)
      expect(yield* node.writes).toBe(0)
      expect(yield* keys(node)).toEqual(options.seed === undefined ? [] : [VERSION_KEY])
    })
  )

  it.live("as good: serves again, and tells of the new module", () =>
    Effect.gen(function* () {
      const { connector, node, writers } = yield* underWrites
      const report = yield* connector.module
      expect(report).toEqual({
        wire: WIRE_6,
        module: "trafikey",
        version: "0.1.0",
        major: 0,
        build: null,
        capabilities: [...JOB_CORE, ...BUS]
      })
      yield* node.replace(good)
      yield* until("it serves again", connector.stats, ({ reconnects }) => reconnects === 1)
      yield* writers.atWork
      const again = yield* connector.module
      expect(again).toEqual(report)
      expect(again).not.toBe(report)
      expect((yield* connector.status)._tag).toBe("Serving")
    })
  )
})

it.live("under writes, the node is restarted: the journal has every call that was acknowledged, once", () =>
  Effect.gen(function* () {
    const { connector, node, writers } = yield* underWrites
    for (let restarts = 1; restarts <= 3; restarts++) {
      yield* node.restart
      yield* until("it serves again", connector.stats, ({ reconnects }) => reconnects === restarts)
      yield* writers.atWork
    }
    yield* writers.stop
    const cutOff = writers.writers.reduce((sum, writer) => sum + writer.cutOff, 0)
    expect(cutOff).toBeLessThanOrEqual(3 * writers.writers.length)
    const length = Number(yield* node.admin("LLEN", "emq:{q}:journal"))
    expect(length).toBeGreaterThanOrEqual(writers.acknowledged())
    expect(length).toBeLessThanOrEqual(writers.acknowledged() + cutOff)
  })
)
