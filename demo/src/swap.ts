import { ConnectorWire4 } from "@echomq/connector-wire4"
import { TestNode } from "@echomq/test-node"
import { Effect, Fiber } from "effect"

/** A writer keeps going while its node is killed and replaced by one of another wire. */
export const swap = Effect.scoped(
  Effect.gen(function* () {
    const node = yield* TestNode.make()
    const connector = yield* ConnectorWire4.make({ host: node.host, port: node.port })
    let acknowledged = 0
    const writer = yield* connector.command(["INCR", "written"]).pipe(
      Effect.tap(() => Effect.sync(() => acknowledged++)),
      Effect.catchTag(["Disconnected", "CommandTimeout"], () => Effect.sleep("5 millis")),
      Effect.forever,
      Effect.forkScoped
    )
    yield* Effect.sleep("1 second")
    const before = acknowledged
    yield* node.replace({ seed: [["SET", "{emq}:version", "echomq:6.0.0"]] })
    const stopped = yield* Effect.flip(connector.stopped).pipe(Effect.timeout("30 seconds"))
    const end = yield* Effect.flip(Fiber.join(writer))
    const keys = (yield* node.admin("KEYS", "*")) as ReadonlyArray<string>
    const writes = yield* node.writes
    console.log(`writes acknowledged before the swap   ${before}`)
    console.log(`the connector stopped with            ${stopped._tag}: ${stopped.message}`)
    console.log(`the writer's next call failed with    ${end._tag}: ${end.message}`)
    console.log(`on the foreign node                   ${keys.join(" ")} (writes executed: ${writes})\n`)
    return (
      before > 0 &&
      stopped._tag === "VersionFence" &&
      end._tag === "VersionFence" &&
      writes === 0 &&
      keys.join() === "{emq}:version"
    )
  })
)
