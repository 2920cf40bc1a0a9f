import { Verdict } from "../page/Verdict.tsx"
import type { Position } from "./Position.ts"

/** A verdict in one or two words. */
export const outcomeOf = (position: Position): string => {
  switch (position._tag) {
    case "Send":
      return "undecided"
    case "Pass":
      return typeof position.value === "number" ? `replies ${position.value}` : "runs"
    case "Refuse":
      return "refused"
    case "NotReady":
      return "not ready"
  }
}

const kinds = { Send: "idle", Pass: "run", Refuse: "refuse", NotReady: "wait" } as const

export const Outcome = ({ position }: { readonly position: Position }) => (
  <Verdict kind={kinds[position._tag]}>{outcomeOf(position)}</Verdict>
)
