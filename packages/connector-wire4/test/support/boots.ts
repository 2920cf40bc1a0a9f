/**
 * Tries boots in turn, each of which fails, says how, and ends without being told to.
 */
import { Effect, Redacted } from "effect"
import { ConnectorWire4, type Options } from "../../src/index.ts"

type Boot = Omit<Options, "password"> & { readonly password?: string }

const boots: ReadonlyArray<Boot> = JSON.parse(process.argv[2] ?? "[]")

for (const { password, ...boot } of boots) {
  const options = { ...boot, ...(password === undefined ? {} : { password: Redacted.make(password) }) }
  const failure = await Effect.runPromise(Effect.flip(Effect.scoped(ConnectorWire4.make(options))))
  console.log(`= ${failure._tag}`)
}
console.log("= done")
