import { Exchanges, Reply } from "../fence/Exchanges.tsx"
import { shownStored } from "../node/Shown.ts"
import type { Turn } from "./Table.ts"
import { tell } from "./Telling.ts"

/** Every turn, in order: who sent what, the reply, and the key afterwards. */
export const Log = ({ log }: { readonly log: ReadonlyArray<Turn> }) => (
  <ol class="log" aria-label="Log of the race">
    {log.map((turn, at) => (
      <Entry key={at} turn={turn} />
    ))}
  </ol>
)

const Entry = ({ turn }: { readonly turn: Turn }) => {
  const { command, inside, reply, wrote } = tell(turn)
  const { node, party } = turn
  return (
    <li>
      <strong>{party.name}</strong> <code>{command}</code>
      {inside.length > 0 && <Exchanges label={`Within ${party.name}`} exchanges={inside} />}
      <Reply wrote={wrote && inside.length === 0}>{reply}</Reply>
      <div class="afterwards">
        key afterwards: <code class="exact">{shownStored(node.stored)}</code>
      </div>
    </li>
  )
}
