import { ServerError, VERSION_KEY, VersionFence, WIRE_4, WIRE_6 } from "@echomq/keyspace"
import { append, claim } from "@echomq/test-node/transitions"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { ConnectorWire6 } from "../src/index.ts"
import { withModule } from "./support/nodes.ts"
import { executed } from "./support/statistics.ts"

const serving = Effect.gen(function* () {
  const node = yield* withModule({ seed: [["SET", VERSION_KEY, WIRE_6]] })
  const connector = yield* ConnectorWire6.make({ host: node.host, port: node.port })
  expect(yield* connector.run(append, ["emq:{q}:events"], ["before"])).toBe(1)
  return { connector, node }
})

/** Long enough for several attempts at the shortest pause between two. */
const QUIET = "2 seconds"

describe("a transition that the native fence refuses", () => {
  it.live("fails with the module's words, and stops the connector for good", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* serving
      const changes = yield* Effect.forkScoped(Stream.runCollect(connector.changes))
      yield* Effect.sleep(10)
      yield* node.admin("SET", VERSION_KEY, WIRE_4)
      const refusal = yield* Effect.flip(connector.run(append, ["emq:{q}:events"], ["after"]))
      const words = `EMQWIRE expected ${WIRE_6} found ${WIRE_4}`
      expect(refusal).toEqual(new ServerError({ code: "EMQWIRE", message: words }))

      const error = yield* Effect.flip(connector.stopped)
      expect(error).toEqual(
        new VersionFence({
          fatal: "version_fence",
          expected: WIRE_6,
          got: WIRE_4,
          error: refusal as ServerError
        })
      )
      expect((yield* Fiber.join(changes)).map(({ _tag }) => _tag)).toEqual(["Serving", "Stopped"])
      expect(yield* connector.status).toEqual({ _tag: "Stopped", error })

      yield* node.admin("CONFIG", "RESETSTAT")
      const later = [
        connector.run(append, ["emq:{q}:events"], ["later"]),
        connector.run(claim, ["emq:{q}:pending"], []),
        connector.command(["SET", "k", "v"]),
        connector.pipeline([["SET", "k", "v"]]),
        connector.transaction([["SET", "k", "v"]]),
        Effect.scoped(connector.lane),
        Stream.runDrain(connector.subscribe(["news"]))
      ]
      for (const call of later)
        expect(yield* Effect.flip(call as Effect.Effect<unknown, unknown>)).toBe(error)
      yield* Effect.sleep(QUIET)
      yield* until("no connection is open", node.connections, (open) => open === 0)
      expect(yield* node.connectionsReceived).toBe(0)
      expect(yield* executed(node)).toEqual({})
      expect((yield* connector.stats).reconnects).toBe(0)
      expect(yield* node.admin("LLEN", "emq:{q}:journal")).toBe(1)
    })
  )

  it.live("also where the key is gone: then the connector got nothing", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* serving
      yield* node.admin("DEL", VERSION_KEY)
      const refusal = yield* Effect.flip(connector.run(append, ["emq:{q}:events"], ["after"]))
      expect(refusal).toEqual(ServerError.of(`EMQWIRE expected ${WIRE_6} but ${VERSION_KEY} is absent`))
      const error = yield* Effect.flip(connector.stopped)
      expect(error).toEqual(new VersionFence({ fatal: "version_fence", expected: WIRE_6, got: null }))
      expect(yield* Effect.flip(connector.run(append, ["emq:{q}:events"], ["later"]))).toBe(error)
    })
  )

  it.live("is no way back: not though the key is as it was", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* serving
      yield* node.admin("SET", VERSION_KEY, WIRE_4)
      yield* Effect.flip(connector.run(append, ["emq:{q}:events"], ["after"]))
      const error = yield* Effect.flip(connector.stopped)
      yield* node.admin("SET", VERSION_KEY, WIRE_6)
      const received = yield* node.connectionsReceived
      yield* Effect.sleep(QUIET)
      expect(yield* Effect.flip(connector.run(append, ["emq:{q}:events"], ["later"]))).toBe(error)
      expect(yield* node.connectionsReceived).toBe(received)
    })
  )

  it.live("answers all that are in flight, by the module's words or as cut off, and none has run", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* serving
      yield* node.admin("SET", VERSION_KEY, WIRE_4)
      const errors = yield* Effect.forEach(
        Array.from({ length: 2_000 }, (_, i) => String(i)),
        (text) => Effect.flip(connector.run(append, ["emq:{q}:events"], [text])),
        { concurrency: "unbounded" }
      )
      const stop = yield* Effect.flip(connector.stopped)
      for (const error of errors) {
        if (error instanceof ServerError) expect(error.code).toBe("EMQWIRE")
        else if (error !== stop) expect(error).toMatchObject({ _tag: "Disconnected" })
      }
      expect(errors.some((error) => error instanceof ServerError)).toBe(true)
      expect(yield* node.admin("LLEN", "emq:{q}:journal")).toBe(1)
    })
  )

  it.live("over a lane costs the lane its connection, and the lane is refused from then on", () =>
    Effect.gen(function* () {
      const { connector, node } = yield* serving
      const lane = yield* connector.lane
      expect(yield* lane.command(["EMQ.CLAIM", 1, "emq:{q}:pending"])).toBe(2)
      yield* node.admin("SET", VERSION_KEY, WIRE_4)
      for (let times = 1; times <= 2; times++) {
        const error = yield* Effect.flip(lane.command(["EMQ.CLAIM", 1, "emq:{q}:pending"]))
        expect(error).toMatchObject({ _tag: "VersionFence", expected: WIRE_6, got: WIRE_4 })
      }
      expect(yield* node.admin("LLEN", "emq:{q}:journal")).toBe(2)
    })
  )
})
