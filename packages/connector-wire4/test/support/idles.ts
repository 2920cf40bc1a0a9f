/**
 * Tries a start that fails, and says how many milliseconds of the second after it the process is at work.
 */
import { Effect } from "effect"
import { ConnectorWire4 } from "../../src/index.ts"

const start = ConnectorWire4.make({ port: Number(process.argv[2]), connectTimeout: 1_000 })
const failure = await Effect.runPromise(Effect.flip(Effect.scoped(start)))
console.log(`= ${failure._tag}`)
const before = process.cpuUsage()
await new Promise((resolve) => setTimeout(resolve, 1_000))
const { system, user } = process.cpuUsage(before)
console.log(`= ${(system + user) / 1_000}`)
