import { VERSION_KEY } from "@echomq/keyspace"
import { useReducer } from "preact/hooks"
import { StoredField } from "../node/StoredField.tsx"
import { Exhibit } from "../page/Exhibit.tsx"
import { Player } from "../player/Player.tsx"
import { act, type Fence, first, settled, steps } from "./Fence.ts"
import { lanes } from "./Lane.ts"
import { LaneView } from "./LaneView.tsx"
import { outcomeOf } from "./Outcome.tsx"
import "./fence.css"

const summary = (fence: Fence): string => {
  const outcomes = fence.runs.map(({ id, position }) => `${lanes[id].name}: ${outcomeOf(position)}`)
  return steps(fence) === 0
    ? "Nothing has been sent yet."
    : `After step ${steps(fence)}. ${outcomes.join("; ")}.`
}

export const FenceExhibit = () => {
  const [fence, dispatch] = useReducer(act, first)
  const { choice, runs } = fence
  return (
    <Exhibit
      id="fence"
      title="The fence"
      lead={
        <>
          Four parties meet <code>{VERSION_KEY}</code>. Choose what it holds and step: each party asks, and
          then runs or is refused. Each has its own copy of the node, so that none sees what another wrote.{" "}
          <a href="docs/fence.html">The fence in one page</a> has the rules.
        </>
      }
    >
      <StoredField choice={choice} onChoose={(choice) => dispatch({ _tag: "Choose", choice })} />
      <Player
        key={`${choice.kind} ${choice.text}`}
        label="Play the lanes"
        atStart={steps(fence) === 0}
        atEnd={settled(fence)}
        onStep={() => dispatch({ _tag: "Step" })}
        onEnd={() => dispatch({ _tag: "End" })}
        onReset={() => dispatch({ _tag: "Reset" })}
      />
      <p role="status">{summary(fence)}</p>
      <div class="lanes">
        {runs.map((run) => (
          <LaneView key={run.id} run={run} />
        ))}
      </div>
    </Exhibit>
  )
}
