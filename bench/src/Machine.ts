import { readFileSync } from "node:fs"
import { cpus, release, totalmem, type } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { TestNode } from "@echomq/test-node"
import { Effect } from "effect"

/** The version of an installed package, which may not let its own file be imported. */
const version = (name: string): string => {
  let directory = dirname(fileURLToPath(import.meta.resolve(name)))
  for (;;) {
    try {
      const found = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Record<
        string,
        string
      >
      if (found.name === name && found.version !== undefined) return found.version
    } catch {
      // Not in this directory.
    }
    const parent = dirname(directory)
    if (parent === directory) return "of an unknown version"
    directory = parent
  }
}

const packages = ["@valkey/valkey-glide", "effect", "@effect/platform-node", "iovalkey", "redis"]

/** What the numbers were measured on, in words that name no host. */
export const machine = Effect.scoped(
  Effect.gen(function* () {
    const node = yield* TestNode.make()
    const info = String(yield* node.admin("INFO", "server"))
    const cores = cpus()
    return [
      `${cores[0]?.model ?? "a processor"}, ${cores.length} cores, ${Math.round(totalmem() / 2 ** 30)} GB; the server on the same cores`,
      `${type()} ${release()}, Node.js ${process.versions.node}, Valkey ${/valkey_version:(\S+)/.exec(info)?.[1] ?? "of an unknown version"}`,
      packages.map((name) => `${name} ${version(name)}`).join(", ")
    ]
  })
)
