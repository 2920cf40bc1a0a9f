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

/** What has the server know a script. */
export const load = ({ lua }: Script): Command => ["SCRIPT", "LOAD", lua]

/** The scripts that were loaded over one connection, so that each is loaded once over it. */
export class Loaded {
  readonly #digests = new Set<string>()

  /** The scripts of these calls that are yet to be loaded, each once. */
  missing(calls: ReadonlyArray<ScriptCall>): ReadonlyArray<Script> {
    const missing = new Map<string, Script>()
    for (const { script } of calls) {
      const sha = digest(script)
      if (!this.#digests.has(sha)) missing.set(sha, script)
    }
    return [...missing.values()]
  }

  add(scripts: ReadonlyArray<Script>): void {
    for (const script of scripts) this.#digests.add(digest(script))
  }

  /** Those whose load may not have come about. */
  forget(scripts: ReadonlyArray<Script>): void {
    for (const script of scripts) this.#digests.delete(digest(script))
  }
}
