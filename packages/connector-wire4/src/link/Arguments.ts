import { type Command, CommandRefused, type Part } from "@echomq/keyspace"
import { refusal, wordOf } from "./Refusal.ts"

/** A command in the form in which the driver takes it. */
export type Arguments = ReadonlyArray<string | Buffer>

/** The command's name in upper case. */
export const nameOf = (args: Arguments): string => wordOf(args[0])

const isFraction = (part: number): boolean => Number.isFinite(part) && !Number.isInteger(part)

const encodePart = (part: Part | undefined): string | Buffer | null => {
  if (typeof part === "string") return part.isWellFormed() ? part : null
  if (typeof part === "number") return Number.isSafeInteger(part) || isFraction(part) ? String(part) : null
  return part instanceof Uint8Array ? Buffer.from(part.buffer, part.byteOffset, part.byteLength) : null
}

const malformed = (why: string) =>
  new CommandRefused({
    command: "a command",
    why,
    instead: "pass text, bytes, or a number that is exact"
  })

/** A command ready for the wire, or why it must not be sent: over a shared connection, or over a lane. */
export const encode = (command: Command, lane = false): Arguments | CommandRefused => {
  const args = new Array<string | Buffer>(command.length)
  for (let i = 0; i < command.length; i++) {
    const arg = encodePart(command[i])
    if (arg === null) return malformed(`argument ${i} has no exact form on the wire`)
    args[i] = arg
  }
  const first = args[0]
  if (first === undefined || first.length === 0) return malformed("it has no name")
  return refusal(nameOf(args), args, lane) ?? args
}
