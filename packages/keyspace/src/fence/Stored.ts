import { ServerError } from "../CallError.ts"
import { VersionFence } from "../FatalError.ts"
import { printable } from "../Printable.ts"
import type { Reply } from "../Reply.ts"
import { sameBytes, toBytes } from "../Utf8.ts"

const isText = (reply: Reply): reply is string | Uint8Array =>
  typeof reply === "string" || reply instanceof Uint8Array

/** Whether a reply is exactly this text, compared byte by byte. */
export const holds = (reply: Reply, expected: string): boolean => isText(reply) && sameBytes(reply, expected)

/** A stored value as a message may show it: its content is untrusted and may be huge. */
export const shown = (reply: Reply): string => (isText(reply) ? printable(reply) : describe(reply))

/** The refusal of a `GET {emq}:version` whose reply is not `expected`. */
export const mismatch = (expected: string, reply: Reply, claim?: ServerError): VersionFence => {
  if (reply === null) {
    return new VersionFence({ expected, got: null, ...(claim === undefined ? {} : { error: claim }) })
  }
  if (reply instanceof ServerError) {
    return new VersionFence({ expected, got: reply.message, error: reply })
  }
  return new VersionFence({
    expected,
    got: shown(reply),
    ...(isText(reply) ? { bytes: toBytes(reply) } : {})
  })
}

/** What kind of reply it is. */
export const describe = (reply: Reply): string =>
  reply === null
    ? "null"
    : isText(reply)
      ? "a string"
      : typeof reply === "number" || typeof reply === "bigint"
        ? "an integer"
        : Array.isArray(reply)
          ? "an array"
          : reply instanceof ServerError
            ? "an error"
            : "a map"
