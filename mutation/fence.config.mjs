import { common, vitest } from "./common.config.mjs"

/** The step machines, which hold the order of commands and the meaning of replies: no mutant may survive. */
export default {
  ...common("fence"),
  ...vitest("fence"),
  mutate: ["packages/keyspace/src/fence/*.ts", "packages/keyspace/src/ModuleVersion.ts"],
  thresholds: { high: 100, low: 100, break: 100 }
}
