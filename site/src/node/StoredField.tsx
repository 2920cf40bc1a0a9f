import { VERSION_KEY, WIRE_4, WIRE_6 } from "@echomq/keyspace"
import { useId } from "preact/hooks"
import { type Choice, storedBy } from "./Choice.ts"
import { shownStored } from "./Shown.ts"

const kinds = [
  { kind: "absent", label: "absent" },
  { kind: "wire4", label: WIRE_4 },
  { kind: "wire6", label: WIRE_6 },
  { kind: "own", label: "a string of your own" },
  { kind: "other-type", label: "a value of another type" }
] as const satisfies ReadonlyArray<{ readonly kind: Choice["kind"]; readonly label: string }>

interface StoredFieldProps {
  readonly choice: Choice
  readonly onChoose: (choice: Choice) => void
}

/** Chooses what the version key holds at the start. */
export const StoredField = ({ choice, onChoose }: StoredFieldProps) => {
  const id = useId()
  return (
    <fieldset>
      <legend>
        <code>{VERSION_KEY}</code> holds at the start
      </legend>
      <div class="choice">
        {kinds.map(({ kind, label }) => (
          <label key={kind}>
            <input
              type="radio"
              name={id}
              checked={choice.kind === kind}
              onChange={() => onChoose({ ...choice, kind })}
            />
            {label}
          </label>
        ))}
      </div>
      {choice.kind === "own" && (
        <div class="field">
          <label for={`${id}-text`}>Your own string</label>
          <input
            id={`${id}-text`}
            type="text"
            value={choice.text}
            onInput={({ currentTarget }) => onChoose({ ...choice, text: currentTarget.value })}
            aria-describedby={`${id}-hint`}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
          />
          <p class="hint" id={`${id}-hint`}>
            <code>\n</code>, <code>\r</code>, <code>\t</code>, <code>\\</code> and <code>\xHH</code> stand for
            bytes. The key holds <code class="exact">{shownStored(storedBy(choice))}</code>.
          </p>
        </div>
      )}
    </fieldset>
  )
}
