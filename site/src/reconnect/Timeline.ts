import { WIRE_4 } from "@echomq/keyspace"
import type { Lane, Run, Scene } from "./Recording.ts"

/** The clients of a scene, in the order in which they are shown. */
export const clients = [
  { id: "glide", name: "GLIDE as it comes" },
  { id: "connector", name: "The pinned link" }
] as const

export type ClientId = (typeof clients)[number]["id"]

/** What became of a write: acknowledged by a node that matches, or by one that does not, or failed. */
export type Fate = "kept" | "foreign" | "failed"

/** Whether the second node is of another wire than the client. */
export const isForeign = ({ holds }: Scene): boolean => holds !== WIRE_4

export const fateOf = (scene: Scene, { outcome }: Run): Fate =>
  outcome === "first" ? "kept" : outcome !== "second" ? "failed" : isForeign(scene) ? "foreign" : "kept"

/** How many writes have come to each end by a time. */
export const countsAt = (scene: Scene, { runs }: Lane, time: number): Readonly<Record<Fate, number>> => {
  const counts = { kept: 0, foreign: 0, failed: 0 }
  for (const run of runs) counts[fateOf(scene, run)] += run.calls.filter(({ to }) => to <= time).length
  return counts
}

/** How many writes the second node has executed without acknowledging them: the client calls these failed. */
export const unacknowledged = ({ landed, runs }: Lane): number =>
  runs.reduce((late, { calls, outcome }) => (outcome === "second" ? late - calls.length : late), landed)

/** Something that happened, or a row of writes that ended alike. */
export interface Happening {
  readonly from: number
  readonly to: number
  readonly what: string
}

const said: Record<Fate, (outcome: string) => string> = {
  kept: () => "acknowledged",
  foreign: () => "acknowledged by the foreign node",
  failed: (outcome) => `failed: ${outcome}`
}

const writes = (count: number, how: string): string => `${count} write${count === 1 ? "" : "s"} ${how}`

/** What the second node says of itself at the end. */
const account = ({ executed, keys, landed }: Lane): string => {
  const commands = Object.entries(executed).map(
    ([name, times]) => `${name.toUpperCase().replace("|", " ")} ${times}`
  )
  return [
    `the second node has executed ${writes(landed, "in all")}`,
    `its commands: ${commands.join(", ")}`,
    `its keys: ${keys.join(", ")}`
  ].join("; ")
}

/** A lane in words, in the order of time. */
export const happenings = (scene: Scene, lane: Lane): ReadonlyArray<Happening> => {
  const { changes, runs, up } = lane
  const end = spanOf(scene)[1]
  return [
    ...changes.map(({ at, status }) => ({ from: at, to: at, what: `the connector is ${status}` })),
    ...runs.map((run) => ({
      ...spanOfRun(run),
      what: writes(run.calls.length, said[fateOf(scene, run)](run.outcome))
    })),
    { from: 0, to: 0, what: "the first node is killed" },
    { from: up, to: up, what: `the second node answers; it holds ${scene.holds}` },
    { from: end, to: end, what: account(lane) }
  ].sort((one, other) => one.from - other.from)
}

const spanOfRun = ({ calls }: Run) => ({ from: calls.at(0)?.from ?? 0, to: calls.at(-1)?.to ?? 0 })

/** From the first write that is drawn to the last. */
export const spanOf = ({ connector, glide }: Scene): readonly [from: number, to: number] => {
  const spans = [...glide.runs, ...connector.runs].map(spanOfRun)
  return [Math.min(...spans.map(({ from }) => from)), Math.max(...spans.map(({ to }) => to))]
}
