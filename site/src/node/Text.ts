import { toBytes } from "@echomq/keyspace"

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|([nrt\\]))/g

const named: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, "\\": 92 }

/**
 * The bytes that a text field means: its UTF-8, with `\n`, `\r`, `\t`, `\\` and `\xHH` read as `printable` writes
 * them, so that any value can be typed on one line.
 */
export const bytesOf = (text: string): Uint8Array => {
  const bytes: Array<number> = []
  let end = 0
  for (const { 0: escape, 1: hex, 2: name = "", index } of text.matchAll(ESCAPE)) {
    bytes.push(...toBytes(text.slice(end, index)))
    bytes.push(hex === undefined ? (named[name] ?? 0) : Number.parseInt(hex, 16))
    end = index + escape.length
  }
  bytes.push(...toBytes(text.slice(end)))
  return Uint8Array.from(bytes)
}
