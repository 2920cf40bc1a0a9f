/**
 * A service that counts visits. It lives through lost connections, and where a refusal is fatal, at its start or
 * later, it says what to do and ends with a status that whoever supervises it can act upon.
 *
 *     EMQ_WIRE=6 EMQ_HOST=127.0.0.1 EMQ_PORT=6379 node service.ts
 */
import { ConnectorWire4 } from "@echomq/connector-wire4"
import { ConnectorWire6 } from "@echomq/connector-wire6"
import { Connector, type FatalError } from "@echomq/keyspace"
import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Schedule } from "effect"

/** The service is set up for another node than this one: only a change of either helps. */
const MISCONFIGURED = 78
/** The node does not let the service in. */
const NOT_PERMITTED = 77

const live = Connector.layerByWire({
  4: ConnectorWire4.layerConfig(),
  6: ConnectorWire6.layerConfig()
})

const visit = Connector.use((connector) => connector.command(["INCR", "visits"])).pipe(
  Effect.flatMap((visits) => Console.log(`visits: ${visits}`)),
  // These pass. A visit whose outcome is unknown may have been counted, so it is not counted again.
  Effect.catchTag(["Disconnected", "CommandTimeout", "Overloaded"], (error) =>
    Console.log(`not counted: ${error.message}`)
  )
)

const serve = Effect.gen(function* () {
  const connector = yield* Connector
  yield* Console.log(`serving on wire ${connector.wire}`)
  // A service that is idle learns of a fatal refusal by `stopped`, and one that is busy by its next call too.
  yield* Effect.raceFirst(Effect.repeat(visit, Schedule.spaced("100 millis")), connector.stopped)
})

const giveUp = (status: number, { _tag, message }: FatalError, advice: string) =>
  Console.log(`${_tag}: ${message}\n  ${advice}`).pipe(Effect.as(status))

const program = serve.pipe(
  Effect.provide(live),
  // Only the first connection can fail so. A reconnect is retried by the connector itself.
  Effect.retry({
    while: (error) => error._tag === "ConnectFailed" && error.reason !== "options",
    schedule: Schedule.exponential("100 millis").pipe(Schedule.upTo({ times: 5 }))
  }),
  Effect.as(0),
  Effect.catchTags({
    VersionFence: (error) =>
      giveUp(
        MISCONFIGURED,
        error,
        error.got === null
          ? "The node is not installed. An operator runs: EMQ.INSTALL 1 {emq}:version"
          : "The node belongs to others. Set EMQ_HOST or EMQ_WIRE; never delete the key."
      ),
    AuthRefused: (error) => giveUp(NOT_PERMITTED, error, "Set EMQ_USERNAME and EMQ_PASSWORD."),
    BootRefused: (error) =>
      giveUp(
        MISCONFIGURED,
        error,
        {
          select: "Set EMQ_DATABASE to one that the node has.",
          setname: "Set EMQ_CLIENT_NAME without spaces, or let the user run CLIENT SETNAME.",
          pin: "A proxy that takes any password cannot be held to the fence. Connect to the node itself."
        }[error.step]
      ),
    EmqAbsent: (error) => giveUp(MISCONFIGURED, error, "Load the module on the node, or set EMQ_WIRE=4."),
    EmqVersion: (error) =>
      giveUp(NOT_PERMITTED, error, "Let the user run EMQ.VERSION, or replace the module if that is broken."),
    ClientRule: (error) =>
      giveUp(MISCONFIGURED, error, "Upgrade the node's module, or this service, until they match.")
  })
)

// The connection is closed by then.
NodeRuntime.runMain(Effect.flatMap(program, (status) => Effect.sync(() => process.exit(status))))
