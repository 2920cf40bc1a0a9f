/**
 * The smallest useful program: it writes to a node that holds wire 4, or to an empty one, and to no other.
 *
 *     EMQ_HOST=127.0.0.1 EMQ_PORT=6379 node first.ts
 */
import { ConnectorWire4 } from "@echomq/connector-wire4"
import { Connector } from "@echomq/keyspace"
import { Console, Effect } from "effect"

const program = Effect.gen(function* () {
  const connector = yield* Connector
  yield* connector.command(["SET", "greeting", "hello"])
  yield* Console.log(yield* connector.command(["GET", "greeting"]))
})

await program.pipe(
  Effect.provide(ConnectorWire4.layerConfig()),
  Effect.catchTag("VersionFence", (error) => Console.error(`this node is not ours: ${error.message}`)),
  Effect.runPromise
)
