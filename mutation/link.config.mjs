import { common, vitest } from "./common.config.mjs"

/** What keeps a fenced link under the callers. Its tests talk to real servers, which takes its time. */
export default {
  ...common("link"),
  ...vitest("link"),
  mutate: ["packages/connector-wire4/src/link/Supervisor.ts"],
  // Most of the time a test waits.
  concurrency: 5,
  // A mutant that waits for what does not come is found by waiting.
  timeoutMS: 20_000
}
