import type { ComponentChildren } from "preact"

interface VerdictProps {
  readonly kind: "run" | "refuse" | "wait" | "idle"
  readonly children: ComponentChildren
}

const mark = { run: "✓", refuse: "✕", wait: "…", idle: "·" } as const

/** A verdict, told by its words and its mark, and only then by its colour. */
export const Verdict = ({ children, kind }: VerdictProps) => (
  <span class={`verdict ${kind}`}>
    <span class="mark" aria-hidden="true">
      {mark[kind]}
    </span>{" "}
    {children}
  </span>
)
