import { TestNode } from "@echomq/test-node"
import { Effect } from "effect"

// Starts a node, prints its port, and holds it until it is killed.
TestNode.make().pipe(
  Effect.tap(({ port }) => Effect.sync(() => console.log(port))),
  Effect.andThen(Effect.never),
  Effect.scoped,
  Effect.catch((error) => Effect.sync(() => console.log(error.message))),
  Effect.runPromise
)
