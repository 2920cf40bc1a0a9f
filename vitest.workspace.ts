import { defineConfig } from "vitest/config"

const project = (name: string) => ({
  test: { name, root: `packages/${name}`, include: ["test/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 }
})

export default defineConfig({
  test: { projects: ["keyspace", "connector-wire4", "connector-wire6"].map(project) }
})
