import { type ClientRule, Fence, type Reply } from "@echomq/keyspace"
import type { ComponentChildren } from "preact"
import { Verdict } from "../page/Verdict.tsx"

interface DifferenceProps {
  readonly name: string
  readonly expected: ComponentChildren
  readonly got: ComponentChildren
}

const Difference = ({ expected, got, name }: DifferenceProps) => (
  <>
    <dt>{name}</dt>
    <dd>
      <span class="difference">
        expected <code class="exact">{expected}</code>
      </span>{" "}
      <span class="difference">
        found <code class="exact">{got}</code>
      </span>
    </dd>
  </>
)

/** What the client rule compared, and found different. */
const Differences = ({ error: { major, missing, wire } }: { readonly error: ClientRule }) => (
  <>
    {wire && <Difference name="Wire" expected={wire.expected} got={wire.got} />}
    {major && <Difference name="Major" expected={major.expected} got={major.got} />}
    {missing.length > 0 && (
      <>
        <dt>Missing</dt>
        <dd>
          <code>{missing.join(" ")}</code>
        </dd>
      </>
    )}
  </>
)

/** What the fence of wire 6 makes of the reply, as its next step says. */
export const Judgement = ({ reply }: { readonly reply: Reply }) => {
  const step = Fence.wire6.next({ at: "module" }, reply)
  switch (step._tag) {
    case "Send":
      return (
        <dl class="results">
          <dt>Verdict</dt>
          <dd>
            <Verdict kind="run">passes</Verdict>
          </dd>
          <dt>Next command</dt>
          <dd>
            <code>{step.command.join(" ")}</code>
          </dd>
        </dl>
      )
    case "NotReady":
      return (
        <dl class="results">
          <dt>Verdict</dt>
          <dd>
            <Verdict kind="wait">not ready, and asked again later</Verdict>
          </dd>
          <dt>Message</dt>
          <dd class="exact">{step.error.message}</dd>
        </dl>
      )
    case "Refuse":
      return (
        <dl class="results">
          <dt>Verdict</dt>
          <dd>
            <Verdict kind="refuse">refused</Verdict>
          </dd>
          <dt>Error</dt>
          <dd>
            <code>{step.error._tag}</code>
          </dd>
          <dt>Fatal</dt>
          <dd>
            <code>{step.error.fatal}</code>
          </dd>
          <dt>Message</dt>
          <dd class="exact">{step.error.message}</dd>
          {step.error._tag === "ClientRule" && <Differences error={step.error} />}
        </dl>
      )
    case "Pass":
      return null
  }
}
