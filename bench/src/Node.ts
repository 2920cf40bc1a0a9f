import { TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { Effect } from "effect"
import { fill } from "./Work.ts"

/** Nothing is written to disk, and a thousand connections may come at once. */
const args = ["--appendonly", "no", "--tcp-backlog", "4096"]

/** The server that a section measures against. */
export const plainNode = Effect.tap(TestNode.make({ args }), fill)

/** One of wire 6. */
export const moduleNode = Effect.suspend(() =>
  TestNode.make({ args, module: modulePath() }).pipe(
    Effect.tap((node) => node.admin("EMQ.INSTALL", 1, "{emq}:version"))
  )
)
