import { basename } from "node:path"
import { defineConfig } from "vitest/config"

const project = (root: string) => ({
  test: {
    name: basename(root),
    root,
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})

export default defineConfig({
  test: {
    // The connectors' log lines are of interest where a test fails.
    silent: "passed-only",
    // Most of the time a test waits: for a server, or for nothing to come from one.
    maxWorkers: 4,
    projects: [
      "packages/keyspace",
      "packages/connector-wire4",
      "packages/connector-wire6",
      "test-node",
      "torture",
      "examples",
      "checks"
    ].map(project)
  }
})
