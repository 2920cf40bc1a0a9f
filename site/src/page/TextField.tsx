import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly lines?: number
  /** What may be typed, in a line below. */
  readonly children?: ComponentChildren
}

/** A field for code: nothing corrects what is typed. */
export const TextField = ({ children, label, lines = 1, onInput, value }: TextFieldProps) => {
  const id = useId()
  const field = {
    id,
    value,
    "aria-describedby": children === undefined ? undefined : `${id}-hint`,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: false
  } as const
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {lines === 1 ? (
        <input type="text" {...field} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
      ) : (
        <textarea {...field} rows={lines} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
      )}
      {children !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {children}
        </p>
      )}
    </div>
  )
}
