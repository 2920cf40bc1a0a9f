import { BUS, JOB_CORE, type Reply, ServerError } from "@echomq/keyspace"
import { Result } from "effect"
import { REPORT } from "../node/Node.ts"

/** What the form says of a module. `others` are capabilities that are not known here, with blanks between them. */
export interface Report {
  readonly wire: string
  readonly module: string
  readonly version: string
  readonly major: string
  /** Empty for none. */
  readonly build: string
  readonly capabilities: ReadonlyArray<string>
  readonly others: string
}

export const known: ReadonlyArray<string> = [...JOB_CORE, ...BUS]

export const shipped: Report = {
  wire: REPORT.wire,
  module: REPORT.module,
  version: REPORT.module_version,
  major: String(REPORT.module_major),
  build: "",
  capabilities: known,
  others: ""
}

/** What a reader has `EMQ.VERSION` answer: by a form, as JSON, or as the line of an error. */
export interface Answer {
  readonly kind: "report" | "json" | "error"
  readonly report: Report
  readonly json: string
  readonly error: string
}

/** The reply that a form makes. A major that is no number stays text, as a broken module might send it. */
export const replyOf = ({ build, capabilities, major, module, others, version, wire }: Report) => ({
  wire,
  module,
  module_version: version,
  module_major: /^-?\d+$/.test(major) ? Number(major) : major,
  build: build === "" ? null : build,
  capabilities: [...capabilities, ...others.split(/\s+/).filter((token) => token !== "")]
})

const jsonOf = (report: Report): string => JSON.stringify(replyOf(report), null, 2)

export const first: Answer = {
  kind: "report",
  report: shipped,
  json: jsonOf(shipped),
  error: "ERR unknown command 'EMQ.VERSION', with args beginning with: "
}

/** The JSON follows the form, so that what it begins with is what was there. */
export const reported = (answer: Answer, report: Report): Answer => ({
  ...answer,
  kind: "report",
  report,
  json: jsonOf(report)
})

/** GLIDE gives a boolean as such, and the connector makes a number of it before anyone looks. */
const asReply = (_: string, value: unknown): unknown => (typeof value === "boolean" ? Number(value) : value)

/** The reply that is meant, or what is wrong with the JSON. */
export const answered = ({ error, json, kind, report }: Answer): Result.Result<Reply, string> => {
  switch (kind) {
    case "report":
      return Result.succeed(replyOf(report))
    case "error":
      return Result.succeed(ServerError.of(error))
    case "json":
      return Result.try({
        try: (): Reply => JSON.parse(json, asReply),
        catch: (problem) => (problem instanceof Error ? problem.message : String(problem))
      })
  }
}
