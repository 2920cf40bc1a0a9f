import { Result } from "effect"
import { ServerError } from "../CallError.ts"
import { printable } from "../Printable.ts"
import type { Command, Reply } from "../Reply.ts"
import { type Binary, binary, bytesOf, textOf } from "./Binary.ts"
import { decode, encode, type Raw } from "./Raw.ts"

/**
 * What a Lua script does, in JavaScript: the memory node runs no Lua.
 *
 * Keys and arguments come as text. `call` runs a command on the node; where it goes wrong
 * it gives the `ServerError` as a value, as `redis.pcall` does.
 */
export type Twin = (
  keys: ReadonlyArray<string>,
  args: ReadonlyArray<string>,
  call: (...command: Command) => Reply
) => Reply

const text = (value: Binary): string => {
  const shown = textOf(value)
  return typeof shown === "string" ? shown : value
}

/** Runs a twin over `execute`; `undefined` is a script that has none. */
export const runTwin = (
  twin: Twin | undefined,
  execute: (args: ReadonlyArray<Binary>) => Raw,
  lua: Binary,
  keys: ReadonlyArray<Binary>,
  args: ReadonlyArray<Binary>
): Raw => {
  if (twin === undefined) {
    return ServerError.of(
      `ERR the memory node runs no Lua: register what this script does by node.script(script, (keys, args, call) => reply): ${printable(bytesOf(lua))}`
    )
  }
  const call = (...command: Command) => {
    const parts = command.map(binary)
    return decode(execute(parts), { command: parts[0]?.toUpperCase() ?? "", bytes: false })
  }
  return Result.match(
    Result.try(() => twin(keys.map(text), args.map(text), call)),
    {
      onSuccess: encode,
      onFailure: (cause) => ServerError.of(`ERR the script's twin failed: ${String(cause)}`)
    }
  )
}
