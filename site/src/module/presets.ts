import { JOB_CORE } from "@echomq/keyspace"
import { type Answer, first, type Report, reported, shipped } from "./Answer.ts"

const report = (change: Partial<Report>): Answer => reported(first, { ...shipped, ...change })
const error = (line: string): Answer => ({ ...first, kind: "error", error: line })
const json = (reply: unknown): Answer => ({ ...first, kind: "json", json: JSON.stringify(reply) })

/** Answers to begin with. */
export const presets: ReadonlyArray<readonly [name: string, answer: Answer]> = [
  ["As shipped", first],
  ["The job core alone", report({ capabilities: JOB_CORE })],
  ["Another wire", report({ wire: "echomq:7.0.0" })],
  ["Another major", report({ version: "1.0.0", major: "1" })],
  [
    "An older module",
    report({ capabilities: shipped.capabilities.filter((token) => token !== "stalled.check") })
  ],
  ["A list cut short", json(["wire", "echomq:6.0.0", "module"])],
  ["No module", error("ERR unknown command 'EMQ.VERSION', with args beginning with: ")],
  ["Not permitted", error("NOPERM User app has no permissions to run the 'emq.version' command")],
  ["Still loading", error("LOADING Valkey is loading the dataset in memory")]
]
