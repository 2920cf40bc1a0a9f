import { outcomeOf } from "../fence/Outcome.tsx"
import { shownStored } from "../node/Shown.ts"
import { Verdict } from "../page/Verdict.tsx"
import { type Conclusion, conclude } from "./Conclusion.ts"
import { type Party, type Table, undecided } from "./Table.ts"
import { tell } from "./Telling.ts"

const named = (parties: ReadonlyArray<Party>, tell = ({ name }: Party): string => name): string =>
  parties.length === 0 ? "none" : parties.map(tell).join(", ")

const claimed = ({ claims }: Conclusion): string => {
  const [claim, ...more] = claims
  return claim === undefined
    ? "No claim landed."
    : more.length === 0
      ? `One claim landed: ${claim.party.name} wrote ${shownStored(claim.node.stored)}.`
      : `${claims.length} claims landed.`
}

/** The last turn, and once everyone has settled, the claim. */
const summary = (table: Table, conclusion: Conclusion): string => {
  const last = table.log.at(-1)
  if (last === undefined) return "Nobody has sent anything yet."
  if (undecided(table).length === 0) return `All have settled. ${claimed(conclusion)}`
  const { command, reply } = tell(last)
  return `${last.party.name} sent ${command} and got ${reply}.`
}

/** What came of the race so far, and what must hold at each moment of it. */
export const ConclusionView = ({ table }: { readonly table: Table }) => {
  const conclusion = conclude(table)
  const { agreed, claims, passed, refused } = conclusion
  return (
    <>
      <p role="status" class="exact">
        {summary(table, conclusion)}
      </p>
      <dl class="results">
        <dt>Key now</dt>
        <dd>
          <code class="exact">{shownStored(table.node.stored)}</code>
        </dd>
        <dt>Passed</dt>
        <dd>{named(passed, ({ name, position }) => `${name} ${outcomeOf(position)}`)}</dd>
        <dt>Refused</dt>
        <dd>{named(refused)}</dd>
        <dt>Undecided</dt>
        <dd>{named(undecided(table))}</dd>
        <dt>Writes</dt>
        <dd>{claims.length}</dd>
      </dl>
      <ul class="invariants" aria-label="What must hold after every turn">
        <li>
          <Verdict kind={claims.length <= 1 ? "run" : "refuse"}>
            {claims.length <= 1 ? "at most one write of the key" : "more than one write of the key"}
          </Verdict>
        </li>
        <li>
          <Verdict kind={agreed ? "run" : "refuse"}>
            {agreed ? "all that run agree with the key" : "not all that run agree with the key"}
          </Verdict>
        </li>
      </ul>
    </>
  )
}
