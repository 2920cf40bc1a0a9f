import { defineConfig } from "vitest/config"

export default defineConfig({
  test: { include: ["packages/keyspace/test/{fence,model,module-version,served}.test.ts"] }
})
