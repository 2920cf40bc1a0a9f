import { type Command, CommandRefused, type Part } from "@echomq/keyspace"
import { Result } from "effect"
import type { Request } from "./Link.ts"
import { refusal } from "./Refusal.ts"

const encode = (part: Part): string | Buffer | null => {
  if (typeof part === "string") return part.isWellFormed() ? part : null
  if (typeof part === "number") return Number.isSafeInteger(part) || isFraction(part) ? String(part) : null
  return part instanceof Uint8Array ? Buffer.from(part.buffer, part.byteOffset, part.byteLength) : null
}

const isFraction = (part: number): boolean => Number.isFinite(part) && !Number.isInteger(part)

const malformed = (command: string, why: string) =>
  Result.fail(new CommandRefused({ command, why, instead: "pass text, bytes, or a number that is exact" }))

/** A command ready for the wire, or why it must not be sent over a shared connection. */
export const prepare = (command: Command, bytes: boolean): Result.Result<Request, CommandRefused> => {
  const args: Array<string | Buffer> = []
  for (const [i, part] of command.entries()) {
    const arg = encode(part)
    if (arg === null) return malformed("a command", `argument ${i} has no exact form on the wire`)
    args.push(arg)
  }
  const [first] = args
  if (first === undefined || first.length === 0) return malformed("a command", "it has no name")
  const name = first.toString().toUpperCase()
  const refused = refusal(name, args)
  return refused === null ? Result.succeed({ name, args, bytes }) : Result.fail(refused)
}
