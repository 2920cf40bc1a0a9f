import { IDENTITY, sameBytes } from "@echomq/keyspace"
import { lanes } from "../fence/Lane.ts"
import type { Party, Table, Turn } from "./Table.ts"

/** What came of the turns so far. */
export interface Conclusion {
  /** The turns that wrote the key. */
  readonly claims: ReadonlyArray<Turn>
  readonly passed: ReadonlyArray<Party>
  readonly refused: ReadonlyArray<Party>
  /** Whether everyone who passed finds its own wire in the key. */
  readonly agreed: boolean
}

export const conclude = ({ log, node: { stored }, parties }: Table): Conclusion => {
  const passed = parties.filter(({ position }) => position._tag === "Pass")
  return {
    claims: log.filter(({ exchanges }) => exchanges.some(({ wrote }) => wrote)),
    passed,
    refused: parties.filter(({ position }) => position._tag === "Refuse"),
    agreed: passed.every(
      ({ lane }) => stored instanceof Uint8Array && sameBytes(stored, IDENTITY[lanes[lane].wire])
    )
  }
}
