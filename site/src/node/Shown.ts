import { ModuleVersion, printable, printableError, type Reply, ServerError } from "@echomq/keyspace"
import { Result } from "effect"
import type { Stored } from "./Node.ts"

const quoted = (bytes: Uint8Array): string => `"${printable(bytes)}"`

/** What the key holds, on one line. */
export const shownStored = (stored: Stored): string =>
  stored === null ? "absent" : stored === "other-type" ? "a value of another type" : quoted(stored)

/** A reply, on one line, much as `valkey-cli` shows it. */
export const shownReply = (reply: Reply): string => {
  if (reply === null) return "(nil)"
  if (reply instanceof Uint8Array) return quoted(reply)
  if (reply instanceof ServerError) return printableError(reply)
  if (typeof reply === "string") return printable(reply)
  if (typeof reply !== "object") return `(integer) ${reply}`
  return Result.match(ModuleVersion.decode(reply), {
    onSuccess: ({ capabilities, major, module, version, wire }) =>
      `wire ${wire}, ${module} ${version}, major ${major}, ${capabilities.length} capabilities`,
    onFailure: ({ message }) => message
  })
}
