/**
 * Text and the bytes it is on the wire.
 */

const encoder = new TextEncoder()

// A leading U+FEFF is part of the text. Not fatal: a decoder that is throws.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/**
 * The bytes that a value is on the wire: a string as UTF-8, bytes as they are.
 *
 * A lone surrogate, which UTF-8 cannot express, becomes U+FFFD.
 *
 * @example
 * ```ts
 * import { toBytes } from "@echomq/keyspace"
 *
 * toBytes("é") // => Uint8Array [0xc3, 0xa9]
 * ```
 */
export const toBytes = (value: string | Uint8Array): Uint8Array =>
  typeof value === "string" ? encoder.encode(value) : value

/** Whether two values are the same bytes on the wire. */
export const sameBytes = (a: string | Uint8Array, b: string | Uint8Array): boolean => {
  const left = toBytes(a)
  const right = toBytes(b)
  return left.length === right.length && left.every((byte, at) => byte === right[at])
}

/** The text that bytes are, or `null` where they are not UTF-8: only UTF-8 survives decoding and encoding. */
export const toText = (bytes: Uint8Array): string | null => {
  const text = decoder.decode(bytes)
  return sameBytes(text, bytes) ? text : null
}
