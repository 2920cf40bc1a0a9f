import { WIRE_4 } from "@echomq/keyspace"
import type { Call, Lane, Scene } from "./Recording.ts"

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

export const fateOf = (scene: Scene, { outcome, to }: Call): Fate =>
  outcome !== "ok" ? "failed" : to > 0 && isForeign(scene) ? "foreign" : "kept"

/** How many writes have come to each end by a time. */
export const countsAt = (scene: Scene, { calls }: Lane, time: number): Readonly<Record<Fate, number>> => {
  const counts = { kept: 0, foreign: 0, failed: 0 }
  for (const call of calls) if (call.to <= time) counts[fateOf(scene, call)]++
  return counts
}

/** How many writes the second node has executed without acknowledging them: the client calls these failed. */
export const unacknowledged = ({ calls, landed }: Lane): number =>
  landed - calls.filter(({ outcome, to }) => outcome === "ok" && to > 0).length

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

/** A lane in words, in the order of time. */
export const happenings = (scene: Scene, { calls, changes, up }: Lane): ReadonlyArray<Happening> => {
  const runs: Array<{ from: number; to: number; count: number; how: string }> = []
  for (const call of calls) {
    const how = said[fateOf(scene, call)](call.outcome)
    const last = runs.at(-1)
    if (last?.how === how) {
      last.to = call.to
      last.count++
    } else runs.push({ from: call.from, to: call.to, count: 1, how })
  }
  return [
    ...runs.map(({ count, from, how, to }) => ({ from, to, what: writes(count, how) })),
    ...changes.map(({ at, status }) => ({ from: at, to: at, what: `the connector is ${status}` })),
    { from: 0, to: 0, what: "the first node is killed" },
    { from: up, to: up, what: `the second node answers; it holds ${scene.holds}` }
  ].sort((one, other) => one.from - other.from)
}

/** From the first write that is drawn to the last. */
export const spanOf = ({ connector, glide }: Scene): readonly [from: number, to: number] => {
  const calls = [...glide.calls, ...connector.calls]
  return [Math.min(...calls.map(({ from }) => from)), Math.max(...calls.map(({ to }) => to))]
}
