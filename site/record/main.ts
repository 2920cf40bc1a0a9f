/** Records what a swap of its node does to a writer, over GLIDE as it comes and over the connector, from real servers. */
import { readFileSync, writeFileSync } from "node:fs"
import { WIRE_4, WIRE_6 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { NodeRuntime } from "@effect/platform-node"
import { Effect, References } from "effect"
import type { Recording, Scene } from "../src/reconnect/Recording.ts"
import { connector, glide } from "./clients.ts"
import { lane } from "./lane.ts"

const file = new URL("../src/reconnect/recording.json", import.meta.url)

const driver: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../node_modules/@valkey/valkey-glide/package.json", import.meta.url), "utf8")
)

const server = Effect.scoped(
  Effect.gen(function* () {
    const node = yield* TestNode.make()
    const info = String(yield* node.admin("INFO", "server"))
    return /valkey_version:([\d.]+)/.exec(info)?.[1] ?? "unknown"
  })
)

const scene = Effect.fnUntraced(function* (holds: string) {
  const recorded: Scene = {
    holds,
    glide: yield* lane(glide, holds),
    connector: yield* lane(connector, holds)
  }
  return recorded
})

const main = Effect.gen(function* () {
  const foreign = yield* scene(WIRE_6)
  const recording: Recording = {
    versions: {
      glide: driver.version,
      valkey: yield* server,
      node: process.versions.node
    },
    scenes: [foreign, yield* scene(WIRE_4)]
  }
  for (const { connector, glide, holds } of recording.scenes) {
    console.log(`${holds}: GLIDE wrote ${glide.landed}, the connector ${connector.landed}`)
  }
  // A recording that shows the promise broken is none to publish.
  if (foreign.connector.landed > 0) return yield* Effect.die("the connector wrote to a foreign node")
  writeFileSync(file, `${JSON.stringify(recording, null, 1)}\n`)
})

NodeRuntime.runMain(Effect.provideService(main, References.MinimumLogLevel, "None"))
