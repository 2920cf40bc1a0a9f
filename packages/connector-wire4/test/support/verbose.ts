/**
 * A connector's life with a password, where the application has the driver tell everything. Ends by itself.
 */
import { Logger } from "@valkey/valkey-glide"
import { Effect, Redacted, Stream } from "effect"

Logger.init("trace")

const { ConnectorWire4 } = await import("../../src/index.ts")

const [port = "0", password = "", wrong = ""] = process.argv.slice(2)

const options = { port: Number(port), backoff: { base: 20, max: 50 } }

const program = Effect.gen(function* () {
  const connector = yield* ConnectorWire4.make({ ...options, password: Redacted.make(password) })
  yield* connector.command(["SET", "a", "1"])
  yield* Effect.forkScoped(Stream.runDrain(connector.subscribe(["channel"])))
  yield* Effect.sleep(300)
  yield* Effect.exit(connector.command(["CLIENT", "KILL", "TYPE", "NORMAL", "SKIPME", "NO"]))
  yield* Effect.sleep(500)
  console.log(`= ${yield* connector.command(["GET", "a"])}`)
  const refused = yield* Effect.flip(ConnectorWire4.make({ ...options, password: Redacted.make(wrong) }))
  console.log(`= ${refused._tag}`)
})

await Effect.runPromise(Effect.scoped(program))
