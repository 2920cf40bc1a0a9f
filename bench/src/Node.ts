import { type NodeError, TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { type Config, Effect, type Scope } from "effect"
import { fill } from "./Work.ts"

/** Nothing is written to disk, and a thousand connections may come at once. */
const args = ["--appendonly", "no", "--tcp-backlog", "4096"]

type Started = Effect.Effect<TestNode["Service"], NodeError | Config.ConfigError, Scope.Scope>

/** The server that a section measures against. */
export const plainNode: Started = Effect.tap(TestNode.make({ args }), fill)

/** One of wire 6. */
export const moduleNode: Started = Effect.suspend(() =>
  TestNode.make({ args, module: modulePath() }).pipe(
    Effect.tap((node) => node.admin("EMQ.INSTALL", 1, "{emq}:version"))
  )
)
