import { ConnectorWire4 } from "@echomq/connector-wire4"
import { TestNode } from "@echomq/test-node"
import { Effect, Redacted, Stream } from "effect"
const main = Effect.scoped(Effect.gen(function* () {
  const node = yield* TestNode.make()
  yield* node.admin("ACL", "SETUSER", "app", "reset", "on", ">secret", "~*", "+@all", "resetchannels")
  const n = node.admin("ACL", "LOG").pipe(Effect.map((l: any) => l[0]?.[1]))
  yield* Effect.scoped(Effect.gen(function* () {
    const c = yield* ConnectorWire4.make({ host: node.host, port: node.port, username: "app", password: Redacted.make("secret"), connectTimeout: "1 second" })
    const exit = yield* Effect.exit(Stream.runDrain(c.subscribe(["x"])))
    console.log(exit)
    console.log("count", yield* n, "conns", yield* node.connections)
    yield* Effect.sleep(2000); console.log("2s later", yield* n, "conns", yield* node.connections)
  }))
  yield* Effect.sleep(3000); console.log("closed, 3s later", yield* n, "conns", yield* node.connections)
  yield* Effect.sleep(3000); console.log("closed, 6s later", yield* n, "conns", yield* node.connections)
}))
Effect.runPromise(main).then(() => process.exit(0), (e) => { console.error(e); process.exit(1) })
