#!/usr/bin/env node
// Brings a checkout and its machine to where the tests and the demo run: `npm run setup`, and the first thing that
// `npm test` and `npm run demo` do. Installs only what is missing, says what, and does nothing where nothing is.
// `--browser` adds what drives the site; `--no-nodes` leaves out what runs nodes, which the site can do without.
// Plain JavaScript on Node's own modules, because it runs before anything is installed.
import { browser } from "./setup/browser.mjs"
import { dependencies } from "./setup/dependencies.mjs"
import { engine } from "./setup/engine.mjs"
import { Failure } from "./setup/failure.mjs"
import { locked } from "./setup/lock.mjs"
import { module } from "./setup/module.mjs"
import { server } from "./setup/server.mjs"

const containers = process.env.EMQ_TEST_NODE === "container"
const nodes = [server, module, ...(containers ? [engine] : [])]
const steps = [
  dependencies,
  ...(process.argv.includes("--no-nodes") ? [] : nodes),
  ...(process.argv.includes("--browser") ? [browser] : [])
]

try {
  if (!steps.every((step) => step.isDone())) {
    await locked(async () => {
      for (const step of steps) if (!step.isDone()) await step.run()
    })
  }
} catch (cause) {
  if (!(cause instanceof Failure)) throw cause
  console.error(`setup: ${cause.message}`)
  process.exit(1)
}
