import {
  BUS,
  JOB_CORE,
  MODULE,
  MODULE_MAJOR,
  MODULE_VERSION,
  type Reply,
  ServerError,
  toBytes,
  VERSION_KEY,
  WIRE_6
} from "@echomq/keyspace"

/** What the version key holds: nothing, a string, or a value of another type. */
export type Stored = Uint8Array | "other-type" | null

/** A server as far as the fence can see it. Immutable: a command gives the next one. */
export interface Node {
  readonly stored: Stored
  /** How many commands have written. */
  readonly writes: number
}

export const node = (stored: Stored): Node => ({ stored, writes: 0 })

export const WRONGTYPE = ServerError.of("WRONGTYPE Operation against a key holding the wrong kind of value")

/** What the reference module replies to `EMQ.VERSION`. */
export const REPORT = {
  wire: WIRE_6,
  module: MODULE,
  module_version: MODULE_VERSION,
  module_major: MODULE_MAJOR,
  build: null,
  capabilities: [...JOB_CORE, ...BUS]
} as const

/** Executes one of the fence's commands, all at once, as a server does. */
export const execute = (at: Node, command: ReadonlyArray<string>): readonly [Reply, Node] => {
  const [name, key, value, option] = command
  if (name === "EMQ.VERSION") return [REPORT, at]
  if (name === "GET" && key === VERSION_KEY) return [at.stored === "other-type" ? WRONGTYPE : at.stored, at]
  if (name === "SET" && key === VERSION_KEY && value !== undefined) {
    if (option === "NX" && at.stored !== null) return [null, at]
    return ["OK", { stored: toBytes(value), writes: at.writes + 1 }]
  }
  return [ServerError.of(`ERR unknown command '${name ?? ""}'`), at]
}
