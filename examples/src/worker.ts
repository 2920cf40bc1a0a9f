/**
 * A worker of the queue `orders`, on either wire. It waits for jobs in a lane, a connection of its own, so that its
 * waiting holds up no other call. A job is in a list of the worker's until it is done, so that none is lost: one that
 * was cut off is done again.
 *
 *     EMQ_WIRE=6 EMQ_HOST=127.0.0.1 EMQ_PORT=6379 EMQ_CLIENT_NAME=worker-1 node worker.ts
 */
import { ConnectorWire4 } from "@echomq/connector-wire4"
import { ConnectorWire6 } from "@echomq/connector-wire6"
import { Connector, Key } from "@echomq/keyspace"
import { NodeRuntime } from "@effect/platform-node"
import { Config, Console, Effect, Schedule } from "effect"

const live = Connector.layerByWire({
  4: ConnectorWire4.layerConfig(),
  6: ConnectorWire6.layerConfig()
})

const work = Effect.gen(function* () {
  const connector = yield* Connector
  const name = yield* Config.NonEmptyString("EMQ_CLIENT_NAME")
  const pending = yield* Effect.fromResult(Key.queueKey("orders", "pending"))
  const mine = yield* Effect.fromResult(Key.queueKey("orders", `active:${name}`))
  const lane = yield* connector.lane

  // What this worker had taken and not done when it was cut off goes back to the front.
  const putBack = Effect.repeat(lane.command(["LMOVE", mine, pending, "RIGHT", "LEFT"]), {
    until: (job) => job === null
  })

  const next = Effect.gen(function* () {
    // Waits for ever, until it is interrupted.
    const job = yield* lane.command(["BLMOVE", pending, mine, "LEFT", "RIGHT", 0])
    yield* Effect.uninterruptible(
      Effect.gen(function* () {
        yield* Console.log(`done: ${job}`)
        yield* lane.command(["LPOP", mine])
      })
    )
  })

  yield* Console.log(`${name} waits on wire ${connector.wire}`)
  yield* putBack.pipe(
    Effect.andThen(Effect.forever(next)),
    // A lane that was lost is dialled again, fenced, by its next command. What is fatal is not retried.
    Effect.retry({
      while: ({ _tag }) => _tag === "Disconnected" || _tag === "ConnectFailed" || _tag === "CommandTimeout",
      schedule: Schedule.spaced("200 millis")
    })
  )
}).pipe(
  Effect.scoped,
  Effect.onInterrupt(() => Console.log("stopped"))
)

NodeRuntime.runMain(Effect.provide(work, live))
