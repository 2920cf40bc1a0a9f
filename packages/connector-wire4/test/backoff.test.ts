import { TestNode } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import { expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { ConnectorWire4 } from "../src/index.ts"

it.effect("a node that is gone is not tried again before the pause is over", () =>
  Effect.gen(function* () {
    const node = yield* TestClock.withLive(TestNode.make())
    const connector = yield* ConnectorWire4.make({
      host: node.host,
      port: node.port,
      backoff: { base: "10 seconds", max: "10 seconds" }
    })
    const attempts: Array<number> = []
    yield* connector.changes.pipe(
      Stream.runForEach((status) =>
        Effect.sync(() => {
          if (status._tag === "Connecting") attempts.push(status.attempt)
        })
      ),
      Effect.forkScoped
    )
    yield* TestClock.withLive(node.kill)
    yield* TestClock.withLive(until("it is down", connector.status, ({ _tag }) => _tag === "Down"))
    // Time stands still for the connector, so that no pause ends: neither that before the first attempt …
    yield* TestClock.withLive(Effect.sleep("300 millis"))
    expect(attempts).toEqual([])
    // A pause is a fifth shorter or longer than it is set.
    for (const attempt of [1, 2]) {
      yield* TestClock.adjust("12 seconds")
      yield* TestClock.withLive(
        until(
          "it has tried",
          Effect.sync(() => attempts.length),
          (count) => count >= attempt
        )
      )
      // … nor that before the next.
      yield* TestClock.withLive(Effect.sleep("200 millis"))
      expect(attempts).toHaveLength(attempt)
    }
  })
)
