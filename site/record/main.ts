/** Records what a swap of its node does to a writer, over GLIDE as it comes and over the connector, from real servers. */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { VERSION_KEY, WIRE_4, WIRE_6 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { NodeRuntime } from "@effect/platform-node"
import { Effect, References } from "effect"
import type { Lane, Recording, Scene } from "../src/reconnect/Recording.ts"
import { connector, glide } from "./clients.ts"
import { lane } from "./lane.ts"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const file = path("../src/reconnect/recording.json")

const driver: { readonly version: string } = JSON.parse(
  readFileSync(path("../node_modules/@valkey/valkey-glide/package.json"), "utf8")
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

/** Whether the second node was left as it was, and its fence is what ended the connector. */
const held = ({ changes, keys, landed, runs }: Lane): boolean =>
  landed === 0 &&
  keys.join() === VERSION_KEY &&
  changes.at(-1)?.status === "Stopped" &&
  runs.at(-1)?.outcome === "VersionFence"

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
  if (!held(foreign.connector)) return yield* Effect.die("the fence did not hold on the foreign node")
  writeFileSync(file, JSON.stringify(recording))
  execFileSync(path("../../node_modules/.bin/biome"), ["format", "--write", file])
})

NodeRuntime.runMain(Effect.provideService(main, References.MinimumLogLevel, "Error"))
