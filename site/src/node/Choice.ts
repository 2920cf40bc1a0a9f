import { toBytes, WIRE_4, WIRE_6 } from "@echomq/keyspace"
import type { Stored } from "./Node.ts"
import { bytesOf } from "./Text.ts"

/** What a reader has the key hold. `text` is what the text field says, whether or not it is chosen. */
export interface Choice {
  readonly kind: "absent" | "wire4" | "wire6" | "own" | "other-type"
  readonly text: string
}

export const absent: Choice = { kind: "absent", text: "bullmq:5.1.0" }

export const storedBy = ({ kind, text }: Choice): Stored => {
  switch (kind) {
    case "absent":
      return null
    case "wire4":
      return toBytes(WIRE_4)
    case "wire6":
      return toBytes(WIRE_6)
    case "own":
      return bytesOf(text)
    case "other-type":
      return "other-type"
  }
}
