import { basename } from "node:path"
import { defineConfig } from "vitest/config"

const project = (root: string, globalSetup: Array<string> = []) => ({
  test: {
    name: basename(root),
    root,
    include: ["test/**/*.test.ts"],
    globalSetup,
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
      project("packages/keyspace"),
      project("packages/connector-wire4"),
      project("packages/connector-wire6"),
      project("test-node"),
      project("torture"),
      project("examples"),
      project("checks"),
      project("site", ["test/support/serve.ts"])
    ]
  }
})
