import { Result } from "effect"
import { useId, useState } from "preact/hooks"
import { Exhibit } from "../page/Exhibit.tsx"
import { TextField } from "../page/TextField.tsx"
import { Button } from "../player/Button.tsx"
import { type Answer, answered, first, reported } from "./Answer.ts"
import { Judgement } from "./Judgement.tsx"
import { presets } from "./presets.ts"
import { ReportForm } from "./ReportForm.tsx"
import "./module.css"

const kinds = [
  { kind: "report", label: "a report" },
  { kind: "json", label: "any reply, as JSON" },
  { kind: "error", label: "an error" }
] as const satisfies ReadonlyArray<{ readonly kind: Answer["kind"]; readonly label: string }>

export const ModuleExhibit = () => {
  const name = useId()
  const [answer, setAnswer] = useState(first)
  return (
    <Exhibit
      id="module"
      title="The module"
      lead={
        <>
          A wire-6 connector first asks the node <code>EMQ.VERSION</code>. Change the reply and see what the
          connector makes of it: the <em>client rule</em> wants the wire, the major version and fourteen
          capabilities, and compares nothing else.{" "}
          <a href="source/packages/keyspace/src/ModuleVersion.ts.html">ModuleVersion.ts</a> holds it.
        </>
      }
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in. */}
      <div class="controls" role="group" aria-label="Replies to begin with">
        {presets.map(([label, preset]) => (
          <Button key={label} onPress={() => setAnswer(preset)}>
            {label}
          </Button>
        ))}
      </div>
      <div class="module">
        <div class="panel">
          <fieldset>
            <legend>EMQ.VERSION replies</legend>
            <div class="choice">
              {kinds.map(({ kind, label }) => (
                <label key={kind}>
                  <input
                    type="radio"
                    name={name}
                    checked={answer.kind === kind}
                    onChange={() => setAnswer({ ...answer, kind })}
                  />
                  {label}
                </label>
              ))}
            </div>
          </fieldset>
          {answer.kind === "report" && (
            <ReportForm report={answer.report} onChange={(report) => setAnswer(reported(answer, report))} />
          )}
          {answer.kind === "json" && (
            <TextField
              label="The reply as JSON"
              lines={12}
              value={answer.json}
              onInput={(json) => setAnswer({ ...answer, json })}
            >
              A map is an object, or a list of names and values, as RESP2 sends it.
            </TextField>
          )}
          {answer.kind === "error" && (
            <TextField
              label="The error's line"
              value={answer.error}
              onInput={(error) => setAnswer({ ...answer, error })}
            >
              Without the <code>-</code> before it.
            </TextField>
          )}
        </div>
        <section class="panel" aria-label="What the connector makes of the reply" aria-live="polite">
          {Result.match(answered(answer), {
            onSuccess: (reply) => <Judgement reply={reply} />,
            onFailure: (problem) => <p class="problem">This is no JSON: {problem}</p>
          })}
        </section>
      </div>
    </Exhibit>
  )
}
