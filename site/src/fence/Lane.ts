import { Fence, VERSION_KEY, type Wire } from "@echomq/keyspace"
import { type Position, positionOf } from "./Position.ts"

/** One of the four parties that meet the version key. */
export interface Lane {
  readonly name: string
  readonly wire: Wire
  /** Where its machine starts. */
  readonly start: Position
  /** The command of which the machine is a part: the server executes it whole. `null` for a connector. */
  readonly command: string | null
  readonly about: string
  /** The file that has its machine. */
  readonly code: string
}

export const lanes = {
  wire4: {
    name: "Wire-4 connector",
    wire: 4,
    start: positionOf(Fence.wire4),
    command: null,
    about:
      "Checks each connection of an application on wire 4. It claims an absent key, and reads it again: what that second GET gives decides.",
    code: "Wire4.ts"
  },
  verb: {
    name: "Native write verb",
    wire: 6,
    start: positionOf(Fence.nativeVerb),
    command: "EMQ.ENQUEUE 1 emq:{orders}:pending JOB0KHTOWnGLuC",
    about: "Checks each write on wire 6, inside the server, before it is made. It never writes the key.",
    code: "Native.ts"
  },
  wire6: {
    name: "Wire-6 connector",
    wire: 6,
    start: positionOf(Fence.wire6),
    command: null,
    about:
      "Checks each connection of an application on wire 6: first the module, then the key. It never writes the key.",
    code: "Wire6.ts"
  },
  install: {
    name: "EMQ.INSTALL",
    wire: 6,
    start: positionOf(Fence.install),
    command: `EMQ.INSTALL 1 ${VERSION_KEY}`,
    about: "Makes a node one of wire 6: an operator sends it once. It writes an absent key, and no other.",
    code: "Native.ts"
  }
} as const satisfies Record<string, Lane>

export type LaneId = keyof typeof lanes

export const laneIds = ["wire4", "verb", "wire6", "install"] as const satisfies ReadonlyArray<LaneId>
