import { TestNode } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ConnectorWire4 } from "../src/index.ts"

/** Holds the event loop for a second, where timers are its next phase: they run before the answer is read. */
const heldUp = Effect.callback<void>((resume) => {
  setImmediate(() => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
    resume(Effect.void)
  })
})

describe("a node that falls silent", () => {
  const patient = { heartbeat: "10 minutes", commandTimeout: "10 minutes" } as const

  it.live("is told from an idle one that gives a sign of life whenever it is asked for one", () =>
    Effect.gen(function* () {
      const { executed, host, port } = yield* TestNode.make()
      const connector = yield* ConnectorWire4.make({
        ...patient,
        host,
        port,
        heartbeat: 20,
        linkTimeout: 10_000
      })
      const before = (yield* executed).ping ?? 0
      yield* until("it was asked five times", executed, ({ ping = 0 }) => ping >= before + 5)
      expect(yield* connector.stats).toMatchObject({ reconnects: 0 })
    })
  )

  it.live("is given up by an idle connection, and served by again when it answers", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { host, port } = node
      const connector = yield* ConnectorWire4.make({ host, port, heartbeat: 50, linkTimeout: 200 })
      yield* node.pause
      yield* until("it is given up", connector.status, ({ _tag }) => _tag !== "Serving")
      yield* node.resume
      yield* until("it is back", connector.stats, ({ reconnects }) => reconnects > 0)
    })
  )

  it.live("is given up by one that owes an answer: nobody knows what became of the call", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { host, port } = node
      const connector = yield* ConnectorWire4.make({ ...patient, host, port, linkTimeout: 200 })
      yield* node.pause
      expect(yield* Effect.flip(connector.command(["INCR", "n"]))).toMatchObject({
        _tag: "Disconnected",
        outcome: "unknown"
      })
      yield* node.resume
      yield* until("it is back", connector.stats, ({ reconnects }) => reconnects > 0)
    })
  )

  it.live("is not mistaken for a process that was busy itself, where the answer is there but unread", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { host, port } = node
      const connector = yield* ConnectorWire4.make({ ...patient, host, port, linkTimeout: 500 })
      yield* Effect.forkScoped(node.admin("DEBUG", "SLEEP", "0.3"), { startImmediately: true })
      yield* Effect.sleep(50)
      const call = yield* Effect.forkScoped(connector.command(["INCR", "n"]), { startImmediately: true })
      yield* Effect.sleep(20)
      yield* heldUp
      expect(yield* Fiber.join(call)).toBe(1)
      expect(yield* connector.stats).toMatchObject({ reconnects: 0 })
    })
  )
})
