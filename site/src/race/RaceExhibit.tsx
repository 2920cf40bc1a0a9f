import { VERSION_KEY } from "@echomq/keyspace"
import { useReducer } from "preact/hooks"
import { StoredField } from "../node/StoredField.tsx"
import { Exhibit } from "../page/Exhibit.tsx"
import { ConclusionView } from "./ConclusionView.tsx"
import { Log } from "./Log.tsx"
import { PartyView } from "./PartyView.tsx"
import { act, first, sizes } from "./Race.ts"
import { ShuffleControls } from "./ShuffleControls.tsx"
import "./race.css"

export const RaceExhibit = () => {
  const [{ choice, places, seed, size, table }, dispatch] = useReducer(act, first)
  return (
    <Exhibit
      id="race"
      title="The race"
      lead={
        <>
          Several parties meet one node, and you say who sends the next command. Try to have two claims land:{" "}
          <a href="source/packages/keyspace/test/model.test.ts.html">a test</a> plays every order of seven
          parties. A connector sends its commands one by one, and others may come in between; a native verb
          and <code>EMQ.INSTALL</code> run inside the server, which executes a command whole, so that their
          reading and writing is one step.
        </>
      }
    >
      <StoredField choice={choice} onChoose={(choice) => dispatch({ _tag: "Set", setting: { choice } })} />
      <ShuffleControls
        seed={seed}
        atStart={table.log.length === 0}
        onSeed={(seed) => dispatch({ _tag: "Seed", seed })}
        onShuffle={() => dispatch({ _tag: "Shuffle" })}
        onReset={() => dispatch({ _tag: "Reset" })}
      />
      <div class="race">
        <div>
          <h3 id="race-parties">Parties</h3>
          <div class="field size">
            <label for="race-size">How many</label>
            <select
              id="race-size"
              value={size}
              onChange={({ currentTarget }) =>
                dispatch({ _tag: "Set", setting: { size: Number(currentTarget.value) } })
              }
            >
              {sizes.map((size) => (
                <option key={size} value={size}>
                  {size}
                </option>
              ))}
            </select>
          </div>
          <ul class="parties" aria-labelledby="race-parties">
            {table.parties.map((party, at) => (
              <PartyView
                key={party.place}
                party={party}
                onPick={(lane) => dispatch({ _tag: "Set", setting: { places: places.with(at, lane) } })}
                onTurn={() => dispatch({ _tag: "Turn", party })}
              />
            ))}
          </ul>
        </div>
        <div class="panel held">
          <h3>
            The node’s <code>{VERSION_KEY}</code>
          </h3>
          <ConclusionView table={table} />
        </div>
        <div>
          <h3>Log</h3>
          <Log log={table.log} />
        </div>
      </div>
    </Exhibit>
  )
}
