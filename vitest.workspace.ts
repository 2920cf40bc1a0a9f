import { basename } from "node:path"
import { defineConfig } from "vitest/config"

const project = (root: string) => ({
  test: {
    name: basename(root),
    root,
    include: ["test/**/*.test.ts"],
    // The connectors' log lines are of interest where a test fails.
    silent: "passed-only" as const,
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})

export default defineConfig({
  test: {
    projects: [
      "packages/keyspace",
      "packages/connector-wire4",
      "packages/connector-wire6",
      "test-node",
      "torture"
    ].map(project)
  }
})
