import { InexactInteger, ServerError } from "../CallError.ts"
import { VersionFence } from "../FatalError.ts"
import { printable, printableError } from "../Printable.ts"
import type { Reply } from "../Reply.ts"
import { sameBytes, toBytes } from "../Utf8.ts"

const isText = (reply: Reply): reply is string | Uint8Array =>
  typeof reply === "string" || reply instanceof Uint8Array

/** Whether a reply is exactly this text, compared byte by byte. */
export const holds = (reply: Reply, expected: string): boolean => isText(reply) && sameBytes(reply, expected)

/** What a `GET` got, as a message may show it: its content is untrusted and may be huge. */
export const shown = (reply: Reply): string =>
  isText(reply) ? printable(reply) : reply instanceof ServerError ? printableError(reply) : describe(reply)

/** The refusal of a `GET {emq}:version` whose reply is not `expected`. */
export const mismatch = (expected: string, reply: Reply, claim?: ServerError): VersionFence => {
  const error = reply instanceof ServerError ? reply : claim
  return new VersionFence({
    expected,
    got: reply === null ? null : shown(reply),
    ...(isText(reply) ? { bytes: toBytes(reply) } : {}),
    ...(error === undefined ? {} : { error })
  })
}

/** What kind of reply it is. */
export const describe = (reply: Reply): string =>
  reply === null
    ? "null"
    : isText(reply)
      ? "a string"
      : typeof reply === "number" || typeof reply === "bigint" || reply instanceof InexactInteger
        ? "a number"
        : Array.isArray(reply)
          ? "an array"
          : reply instanceof ServerError
            ? "an error"
            : "a map"
