import type { ComponentChildren } from "preact"

interface ButtonProps {
  readonly primary?: boolean
  readonly disabled?: boolean
  readonly onPress: () => void
  readonly children: ComponentChildren
}

/** A button that keeps the focus when it has nothing more to do: a `disabled` one would lose it. */
export const Button = ({ children, disabled = false, onPress, primary = false }: ButtonProps) => (
  <button
    type="button"
    class={primary ? "primary" : undefined}
    aria-disabled={disabled}
    onClick={() => {
      if (!disabled) onPress()
    }}
  >
    {children}
  </button>
)
