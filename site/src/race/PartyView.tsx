import { type LaneId, laneIds, lanes } from "../fence/Lane.ts"
import { Outcome } from "../fence/Outcome.tsx"
import { Button } from "../player/Button.tsx"
import type { Party } from "./Table.ts"

interface PartyViewProps {
  readonly party: Party
  readonly onPick: (lane: LaneId) => void
  readonly onTurn: () => void
}

/** Who is at a place, what it does next, and the button that makes it do so. */
export const PartyView = ({ onPick, onTurn, party }: PartyViewProps) => {
  const { lane, name, place, position } = party
  return (
    <li class="panel party">
      <div class="field">
        <label for={`party-${place}`}>Party {place}</label>
        <select
          id={`party-${place}`}
          value={lane}
          onChange={({ currentTarget }) => {
            const picked = laneIds.find((id) => id === currentTarget.value)
            if (picked !== undefined) onPick(picked)
          }}
        >
          {laneIds.map((id) => (
            <option key={id} value={id}>
              {lanes[id].name}
            </option>
          ))}
        </select>
      </div>
      <p class="standing">
        {position._tag === "Send" ? (
          <>
            Next: <code>{lanes[lane].command ?? position.command.join(" ")}</code>
          </>
        ) : (
          <Outcome position={position} />
        )}
      </p>
      <Button disabled={position._tag !== "Send"} onPress={onTurn}>
        Step: {name}
      </Button>
    </li>
  )
}
