/**
 * The names and constants of the protocol, that both wires share.
 */

/**
 * A wire: 4 is spoken by the scripted executor, 6 by the native one (the module).
 *
 * Source: PROTOCOL.md, "Names".
 */
export type Wire = 4 | 6

/**
 * The prefix of cross-queue keys. No queue key can begin with it: those begin with `e`.
 *
 * Source: PROTOCOL.md, "Names".
 */
export const RESERVE = "{emq}:"

/**
 * The key of the fence: it holds the identity of the wire which the node serves.
 *
 * Source: PROTOCOL.md, "Names".
 */
export const VERSION_KEY = "{emq}:version"

/**
 * What `{emq}:version` holds on a node of the scripted executor. Compared byte for byte.
 *
 * Source: PROTOCOL.md, "Names".
 */
export const WIRE_4 = "echomq:4.0.0"

/**
 * What `{emq}:version` holds on a node of the native executor. Compared byte for byte.
 *
 * Source: PROTOCOL.md, "Names".
 */
export const WIRE_6 = "echomq:6.0.0"

/**
 * The wire which a connector speaks unless it is told otherwise.
 *
 * Source: PROTOCOL.md, "Names".
 */
export const DEFAULT_WIRE = 4

/**
 * Which identity each wire claims or verifies.
 *
 * Source: PROTOCOL.md, "Names".
 *
 * @example
 * ```ts
 * import { DEFAULT_WIRE, IDENTITY } from "@echomq/keyspace"
 *
 * IDENTITY[DEFAULT_WIRE] // => "echomq:4.0.0"
 * ```
 */
export const IDENTITY = { 4: WIRE_4, 6: WIRE_6 } as const satisfies Record<Wire, string>

/**
 * The name of the native module, as `EMQ.VERSION` reports it.
 *
 * Source: PROTOCOL.md, "Names".
 */
export const MODULE = "trafikey"

/**
 * The version of the native module. Reported, never compared: `MODULE_MAJOR` is what the client rule requires.
 *
 * Source: PROTOCOL.md, "Names" and "EMQ.VERSION".
 */
export const MODULE_VERSION = "0.1.0"

/**
 * The major version of the native module, which the client rule requires.
 *
 * Source: PROTOCOL.md, "Names" and "Wire 6, at connect".
 */
export const MODULE_MAJOR = 0
