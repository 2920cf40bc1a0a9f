/**
 * Moves the queue `orders` from wire 4 to wire 6. One node holds one wire, so the fleet moves to a second node, one
 * that has the module: drain the old node, install the new one, start there. Stop what enqueues to the old node first.
 *
 *     OLD_URL=valkey://127.0.0.1:6379 NEW_URL=valkey://127.0.0.1:6380 node move.ts
 */
import { ConnectorWire4 } from "@echomq/connector-wire4"
import { ConnectorWire6 } from "@echomq/connector-wire6"
import { Connector, Key, script, transition } from "@echomq/keyspace"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Config, Console, Effect, type Redacted, Schema } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"

type Url = Redacted.Redacted<string>

/** One operation, declared for both executors: what enqueues does not know on which wire it is. */
const enqueue = transition({
  name: "enqueue",
  keys: 1,
  args: Schema.Tuple([Schema.String]),
  result: Schema.Int,
  scripted: script("return redis.call('RPUSH', KEYS[1], ARGV[1])"),
  native: { verb: "EMQ.ENQUEUE", capability: "enqueue" }
})

const pending = Key.queueKey("orders", "pending")

const drain = Effect.gen(function* () {
  const connector = yield* Connector
  const key = yield* Effect.fromResult(pending)
  let done = 0
  while ((yield* connector.command(["LPOP", key])) !== null) done++
  yield* Console.log(`drained ${done} jobs on wire ${connector.wire}`)
})

/** An operator's act, once for each node. No connector does it, and one of wire 4 would claim the empty node. */
const install = Effect.fnUntraced(function* (url: Url) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const reply = yield* spawner.string(
    ChildProcess.make("valkey-cli", ["-e", "-u", url, "EMQ.INSTALL", "1", "{emq}:version"])
  )
  yield* Console.log(`EMQ.INSTALL replied ${reply.trim()}`)
})

const start = Effect.gen(function* () {
  const connector = yield* Connector
  const key = yield* Effect.fromResult(pending)
  yield* connector.run(enqueue, [key], ["JOB0KHTOWnGLuC"])
  yield* Console.log(`enqueued on wire ${connector.wire}`)
})

const move = Effect.gen(function* () {
  const oldUrl = yield* Config.Redacted("OLD_URL")
  const newUrl = yield* Config.Redacted("NEW_URL")

  yield* Effect.provide(drain, ConnectorWire4.layer({ url: oldUrl }))
  yield* install(newUrl)
  yield* Effect.provide(start, ConnectorWire6.layer({ url: newUrl }))

  // What was forgotten in the move cannot do harm: neither executor gets to write to the other's node.
  yield* start.pipe(
    Effect.provide(ConnectorWire4.layer({ url: newUrl })),
    Effect.catchTag("VersionFence", (error) => Console.log(`wire 4 on the new node: ${error.message}`))
  )
  yield* start.pipe(
    Effect.provide(ConnectorWire6.layer({ url: oldUrl })),
    Effect.catchTag(["EmqAbsent", "VersionFence"], (error) =>
      Console.log(`wire 6 on the old node: ${error.message}`)
    )
  )
})

NodeRuntime.runMain(Effect.provide(move, NodeServices.layer))
