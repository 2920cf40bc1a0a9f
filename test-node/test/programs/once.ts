import { TestNode } from "@echomq/test-node"
import { Effect } from "effect"

// Starts a node, prints its port, and is done.
TestNode.make().pipe(
  Effect.tap(({ port }) => Effect.sync(() => console.log(port))),
  Effect.scoped,
  Effect.runPromise
)
