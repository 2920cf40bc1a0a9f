/**
 * Bytes as a string with one character, below 256, for each: it compares, sorts and keys a
 * map as bytes do.
 */

import { toBytes, toText } from "../Utf8.ts"

export type Binary = string

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

/** The bytes that an argument is on the wire. */
export const binary = (part: string | number | Uint8Array): Binary => {
  const value = typeof part === "number" ? String(part) : part
  if (typeof value === "string" && isAscii(value)) return value
  return Array.from(toBytes(value), (byte) => String.fromCharCode(byte)).join("")
}

export const bytesOf = (value: Binary): Uint8Array => Uint8Array.from(value, (char) => char.charCodeAt(0))

/** As a caller gets them: text, or bytes where they are none. */
export const textOf = (value: Binary): string | Uint8Array => {
  if (isAscii(value)) return value
  const bytes = bytesOf(value)
  return toText(bytes) ?? bytes
}
