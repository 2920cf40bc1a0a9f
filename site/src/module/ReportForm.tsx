import { JOB_CORE } from "@echomq/keyspace"
import { TextField } from "../page/TextField.tsx"
import { known, type Report } from "./Answer.ts"

interface ReportFormProps {
  readonly report: Report
  readonly onChange: (report: Report) => void
}

const fields = [
  { name: "wire", label: "wire" },
  { name: "module", label: "module" },
  { name: "version", label: "module_version" },
  { name: "major", label: "module_major" },
  { name: "build", label: "build (empty for none)" }
] as const

const toggled = (tokens: ReadonlyArray<string>, token: string): ReadonlyArray<string> =>
  known.filter((other) => (other === token) !== tokens.includes(other))

/** The six entries of the reply. */
export const ReportForm = ({ onChange, report }: ReportFormProps) => (
  <div class="report-form">
    <div class="entries">
      {fields.map(({ label, name }) => (
        <TextField
          key={name}
          label={label}
          value={report[name]}
          onInput={(value) => onChange({ ...report, [name]: value })}
        />
      ))}
    </div>
    <fieldset>
      <legend>capabilities</legend>
      <p class="hint">The client rule asks for the first {JOB_CORE.length}, the job core.</p>
      <div class="choice tokens">
        {known.map((token) => (
          <label key={token}>
            <input
              type="checkbox"
              checked={report.capabilities.includes(token)}
              onChange={() => onChange({ ...report, capabilities: toggled(report.capabilities, token) })}
            />
            {token}
          </label>
        ))}
      </div>
    </fieldset>
    <TextField
      label="other capabilities"
      value={report.others}
      onInput={(others) => onChange({ ...report, others })}
    >
      With blanks between them.
    </TextField>
  </div>
)
