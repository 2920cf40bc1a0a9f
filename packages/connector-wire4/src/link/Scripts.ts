import { createHash } from "node:crypto"
import type { Command, Part, Script, ScriptCall } from "@echomq/keyspace"

const digests = new WeakMap<Script, string>()

const digest = (script: Script): string => {
  const known = digests.get(script)
  if (known !== undefined) return known
  const made = createHash("sha1").update(script.lua).digest("hex")
  digests.set(script, made)
  return made
}

export const isScriptCall = (item: Command | ScriptCall): item is ScriptCall => !Array.isArray(item)

const rest = ({ args, keys }: ScriptCall): ReadonlyArray<Part> => [keys.length, ...keys, ...args]

export const byDigest = (call: ScriptCall): Command => ["EVALSHA", digest(call.script), ...rest(call)]

/** The script itself: it runs whatever the server has cached. */
export const whole = (call: ScriptCall): Command => ["EVAL", call.script.lua, ...rest(call)]

/** The scripts that were loaded over one connection, so that each is loaded once over it. */
export class Loaded {
  readonly #digests = new Set<string>()

  /** The command that loads a script, or nothing where it was loaded over this connection before. */
  load(script: Script): ReadonlyArray<Command> {
    const sha = digest(script)
    if (this.#digests.has(sha)) return []
    this.#digests.add(sha)
    return [["SCRIPT", "LOAD", script.lua]]
  }
}
