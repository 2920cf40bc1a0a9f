import { Arguments as Encoding } from "@echomq/keyspace"

/** A command in the form in which GLIDE takes it. */
export type Arguments = Encoding.Arguments<Buffer>

/** A command ready for the wire, or why it must not be sent: over a shared connection, or over a lane. */
export const encode = Encoding.encodeWith((bytes) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
)

export const { nameOf, oversize } = Encoding
