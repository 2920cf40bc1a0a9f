import type { ComponentChildren } from "preact"

interface ScrollerProps {
  readonly label: string
  readonly class: string
  readonly children: ComponentChildren
}

/** What may be wider than the screen: it scrolls by itself, by keyboard too. */
export const Scroller = ({ children, class: name, label }: ScrollerProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard could not scroll.
  <section class={name} aria-label={label} tabIndex={0}>
    {children}
  </section>
)
