/**
 * A caller's command as a driver takes it, once it is known that it may be sent.
 */

import { CommandRefused } from "./CallError.ts"
import { refusal, wordOf } from "./Refusal.ts"
import type { Command, Part } from "./Reply.ts"
import { toBytes } from "./Utf8.ts"

/** A command in the form in which it goes out. `Bytes` is the driver's own kind of them. */
export type Arguments<Bytes extends Uint8Array = Uint8Array> = ReadonlyArray<string | Bytes>

/** Names by how they were spelt before. Callers spell few of them, and a bound keeps it so. */
const names = new Map<string, string>()
const MOST_NAMES = 1_000

/** The command's name in upper case. */
export const nameOf = (args: Arguments): string => {
  const first = args[0]
  if (typeof first !== "string") return wordOf(first)
  const known = names.get(first)
  if (known !== undefined) return known
  const name = wordOf(first)
  if (names.size < MOST_NAMES) names.set(first, name)
  return name
}

const isFraction = (part: number): boolean => Number.isFinite(part) && !Number.isInteger(part)

const malformed = (why: string) =>
  new CommandRefused({
    command: "a command",
    why,
    instead: "pass text, bytes, or a number that is exact"
  })

/**
 * Makes commands ready for the wire, or says why one must not be sent: over a shared
 * connection, or over a lane. `wrap` gives bytes the driver's form.
 */
export const encodeWith = <Bytes extends Uint8Array>(wrap: (bytes: Uint8Array) => Bytes) => {
  const encodePart = (part: Part | undefined): string | Bytes | null => {
    if (typeof part === "string") return part.isWellFormed() ? part : null
    if (typeof part === "number") return Number.isSafeInteger(part) || isFraction(part) ? String(part) : null
    return part instanceof Uint8Array ? wrap(part) : null
  }

  return (command: Command, lane = false): Arguments<Bytes> | CommandRefused => {
    const args = new Array<string | Bytes>(command.length)
    for (let i = 0; i < command.length; i++) {
      const arg = encodePart(command[i])
      if (arg === null) return malformed(`argument ${i} has no exact form on the wire`)
      args[i] = arg
    }
    const first = args[0]
    if (first === undefined || first.length === 0) return malformed("it has no name")
    return refusal(nameOf(args), args, lane) ?? args
  }
}

/** A character is three bytes at most for each unit of its length, which is known without encoding it. */
const MOST_BYTES_A_UNIT = 3

const atMost = (arg: string | Uint8Array): number =>
  typeof arg === "string" ? arg.length * MOST_BYTES_A_UNIT : arg.length

const sum = (args: Arguments, size: (arg: string | Uint8Array) => number): number => {
  let bytes = 0
  for (const arg of args) bytes += size(arg)
  return bytes
}

/** The refusal of a command whose arguments have more than `limit` bytes together, or `null`. */
export const oversize = (args: Arguments, limit: number): CommandRefused | null => {
  if (sum(args, atMost) <= limit) return null
  const bytes = sum(args, (arg) => toBytes(arg).length)
  return bytes <= limit
    ? null
    : new CommandRefused({
        command: nameOf(args),
        why: `it has ${bytes} bytes, and the limit is ${limit}`,
        instead: "send less at once, or raise commandLimit"
      })
}
