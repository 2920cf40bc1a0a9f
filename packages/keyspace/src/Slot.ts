/**
 * Where a cluster puts a key: its hashtag, and the slot of that.
 */
import { toBytes } from "./Utf8.ts"

/**
 * How many slots a cluster has.
 *
 * Source: the Valkey cluster specification, "Key distribution model".
 */
export const SLOTS = 16384

const OPEN = 0x7b
const CLOSE = 0x7d

/**
 * The bytes of a key that decide its slot: those between the first `{` and the first `}` after it, or the
 * whole key where there is no such pair or nothing within it.
 *
 * A string counts as its UTF-8. The result may share memory with the key.
 *
 * Source: the Valkey cluster specification, "Hash tags".
 *
 * @example
 * ```ts
 * import { Key } from "@echomq/keyspace"
 *
 * Key.hashtag("emq:{orders}:pending") // => the bytes of "orders"
 * Key.hashtag("emq:{}:pending") // => the bytes of "emq:{}:pending"
 * ```
 */
export const hashtag = (key: string | Uint8Array): Uint8Array => {
  const bytes = toBytes(key)
  const open = bytes.indexOf(OPEN)
  const close = open === -1 ? -1 : bytes.indexOf(CLOSE, open + 1)
  return close > open + 1 ? bytes.subarray(open + 1, close) : bytes
}

const shiftBit = (crc: number): number => (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit++) crc = shiftBit(crc)
  return crc
})

// CRC16/XMODEM: polynomial 0x1021, from 0, nothing reflected.
const crc16 = (bytes: Uint8Array): number =>
  bytes.reduce((crc, byte) => ((crc << 8) & 0xffff) ^ (TABLE[(crc >> 8) ^ byte] ?? 0), 0)

/**
 * The cluster slot of a key, from 0 to 16383: the CRC16/XMODEM of its hashtag, modulo 16384.
 *
 * Source: the Valkey cluster specification, "Key distribution model".
 *
 * @example
 * ```ts
 * import { Key } from "@echomq/keyspace"
 *
 * Key.slot("{emq}:version") // => 9051
 * Key.slot("emq:{orders}:pending") === Key.slot("emq:{orders}:active") // => true
 * ```
 */
export const slot = (key: string | Uint8Array): number => crc16(hashtag(key)) % SLOTS
