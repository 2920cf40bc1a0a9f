import { shownStored } from "../node/Shown.ts"
import { Exchanges } from "./Exchanges.tsx"
import type { LaneRun } from "./Fence.ts"
import { lanes } from "./Lane.ts"
import { Outcome } from "./Outcome.tsx"
import type { Position } from "./Position.ts"

/** A lane: what it is for, what it sent, what it does next, and what came of it. */
export const LaneView = ({ run }: { readonly run: LaneRun }) => {
  const { about, code, name } = lanes[run.id]
  const title = `lane-${run.id}`
  return (
    <article class="lane panel" aria-labelledby={title}>
      <header>
        <h3 id={title}>{name}</h3>
        <p>
          {about} Its machine is in <a href={`source/packages/keyspace/src/fence/${code}.html`}>{code}</a>.
        </p>
      </header>
      <div>
        <Exchanges label={`What the ${name} sent, and the replies`} exchanges={run.exchanges} />
        <Next position={run.position} />
      </div>
      <dl class="results">
        <dt>Verdict</dt>
        <dd>
          <Outcome position={run.position} />
        </dd>
        <dt>Key now</dt>
        <dd>
          <code class="exact">{shownStored(run.node.stored)}</code>
        </dd>
        <dt>Writes</dt>
        <dd>{run.node.writes}</dd>
        <Failure position={run.position} />
      </dl>
    </article>
  )
}

/** What is about to be sent, until there is a verdict. */
const Next = ({ position }: { readonly position: Position }) =>
  position._tag === "Send" && (
    <p class="next">
      Next: <code>{position.command.join(" ")}</code>
    </p>
  )

/** The typed error of a refusal. */
const Failure = ({ position }: { readonly position: Position }) =>
  position._tag === "Refuse" && (
    <>
      <dt>Error</dt>
      <dd>
        <code>{position.error._tag}</code>
      </dd>
      {"fatal" in position.error && (
        <>
          <dt>Fatal</dt>
          <dd>
            <code>{position.error.fatal}</code>
          </dd>
        </>
      )}
      <dt>Message</dt>
      <dd class="exact">{position.error.message}</dd>
    </>
  )
