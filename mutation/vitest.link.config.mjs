import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: [
      "packages/connector-wire4/test/{backoff,close,fence,observability,outbox,silent,transient}.test.ts"
    ],
    silent: true,
    testTimeout: 20_000,
    hookTimeout: 20_000
  }
})
