import type { ComponentChildren } from "preact"

interface ExhibitProps {
  /** The section's anchor. */
  readonly id: string
  readonly title: string
  /** What there is to see, and to try. */
  readonly lead: ComponentChildren
  readonly children: ComponentChildren
}

/** One thing to try: a region with its title, what it is about, and its controls. */
export const Exhibit = ({ children, id, lead, title }: ExhibitProps) => (
  <section id={id} class="exhibit" aria-labelledby={`${id}-title`}>
    <h2 id={`${id}-title`}>{title}</h2>
    <p class="exhibit-lead">{lead}</p>
    {children}
  </section>
)
