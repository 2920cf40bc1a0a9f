/**
 * How untrusted bytes are shown: short, on one line, in ASCII.
 */

import type { ServerError } from "./CallError.ts"
import { toBytes } from "./Utf8.ts"

const LIMIT = 64

/** Room for a sentence of the server's. */
const ERROR_LIMIT = 256

const ESCAPES: Readonly<Record<number, string>> = { 9: "\\t", 10: "\\n", 13: "\\r", 92: "\\\\" }

const printByte = (byte: number): string =>
  ESCAPES[byte] ??
  (byte >= 0x20 && byte <= 0x7e ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`)

const show = (value: string | Uint8Array, limit: number): string => {
  // A UTF-16 unit is at least one byte, so a longer string need not be encoded to its end.
  const bytes = toBytes(value.slice(0, limit + 1))
  const shown = Array.from(bytes.subarray(0, limit), printByte).join("")
  return bytes.length > limit ? `${shown}...` : shown
}

/**
 * Shows a key, an id or a stored value in an error or a log, whatever it holds.
 *
 * Bytes 0x20 to 0x7e as they are, backslash doubled, `\n`, `\r` and `\t` as these escapes, any other byte
 * as `\xHH`; after 64 bytes of input (not of output) the rest is given as `...`. A string counts as its UTF-8.
 *
 * Source: PROTOCOL.md, "The fence, lane by lane".
 *
 * @example
 * ```ts
 * import { printable } from "@echomq/keyspace"
 *
 * printable("echomq:6.0.0\n") // => "echomq:6.0.0\\n"
 * printable(new Uint8Array([0xff, 0x41])) // => "\\xffA"
 * ```
 */
export const printable = (value: string | Uint8Array): string => show(value, LIMIT)

/**
 * Shows what a server said in another error's text: as `printable` does, after 256 bytes the rest as `...`.
 *
 * @example
 * ```ts
 * import { printableError, ServerError } from "@echomq/keyspace"
 *
 * printableError(ServerError.of("NOPERM No permissions to access a key")) // => "NOPERM No permissions to access a key"
 * ```
 */
export const printableError = (error: ServerError): string => show(error.message, ERROR_LIMIT)
