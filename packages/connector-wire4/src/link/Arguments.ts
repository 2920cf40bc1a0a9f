import { Arguments as Encoding } from "@echomq/keyspace"

/** A command ready for the wire. */
export type Arguments = Encoding.Arguments

/** A command ready for the wire, or why it must not be sent: over a shared connection, or over a lane. */
export const encode = Encoding.encodeWith(
  // GLIDE takes no bytes but Node.js's own.
  (bytes): Uint8Array => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
)

export const { nameOf, oversize } = Encoding
