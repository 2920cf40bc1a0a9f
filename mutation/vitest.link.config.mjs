import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/connector-wire4/test/{close,fence,observability,outbox,silent,transient}.test.ts"],
    silent: true,
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
