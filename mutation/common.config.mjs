import { fileURLToPath } from "node:url"

export const common = (name) => ({
  plugins: [fileURLToPath(import.meta.resolve("@stryker-mutator/vitest-runner"))],
  // It would read a tsconfig.json through TypeScript's interface for JavaScript, which the workspace's has not.
  tsconfigFile: "none",
  // What these tests do not need is not copied.
  ignorePatterns: ["bench", "demo", "docs", "examples", "native", "site", "torture", "**/dist"],
  tempDirName: `mutation/.tmp/${name}`,
  reporters: ["clear-text", "json"],
  clearTextReporter: { logTests: false, reportTests: false },
  jsonReporter: { fileName: `mutation/reports/${name}.json` },
  concurrency: 2
})

export const vitest = (name) => ({
  testRunner: "vitest",
  vitest: { configFile: `mutation/vitest.${name}.config.mjs`, related: false },
  coverageAnalysis: "perTest"
})
