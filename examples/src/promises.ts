/**
 * The connector from code that is written with promises: one runtime for the process, whose end closes the connection.
 *
 *     EMQ_HOST=127.0.0.1 EMQ_PORT=6379 node promises.ts
 */
import { ConnectorWire4 } from "@echomq/connector-wire4"
import { type Command, Connector, Disconnected, type Reply, VersionFence } from "@echomq/keyspace"
import { ManagedRuntime } from "effect"

const runtime = ManagedRuntime.make(ConnectorWire4.layerConfig())

/** Connects at the first call. Rejects with the errors that an Effect would fail with. */
const command = (...command: Command): Promise<Reply> =>
  runtime.runPromise(Connector.use((connector) => connector.command(command)))

try {
  await command("SET", "greeting", "hello")
  console.log(await command("GET", "greeting"))
} catch (error) {
  if (error instanceof VersionFence) console.log(`this node is not ours: ${error.message}`)
  else if (error instanceof Disconnected && error.outcome === "not-sent") console.log("safe to try again")
  else throw error
} finally {
  await runtime.dispose()
}
