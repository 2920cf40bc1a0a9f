import { ServerError } from "../../src/CallError.ts"
import type { Machine, Step } from "../../src/fence/Machine.ts"
import { printable } from "../../src/Printable.ts"
import type { Reply } from "../../src/Reply.ts"
import { sameBytes } from "../../src/Utf8.ts"
import { WIRE_4, WIRE_6 } from "../../src/Wire.ts"
import { execute, type Node, type Stored } from "./Node.ts"

export type Lane = "wire4" | "wire6" | "verb" | "install"

type AnyStep = Step<unknown, unknown, unknown>

/** Someone who plays a machine against the node. `lane` says what is asked of them. */
export interface Party {
  readonly name: string
  readonly lane: Lane
  readonly machine: Machine<unknown, unknown, unknown>
}

export const party = <State, Pass, Refusal>(
  lane: Lane,
  machine: Machine<State, Pass, Refusal>,
  name: string = lane
): Party => ({ name, lane, machine: machine as Party["machine"] })

interface Place {
  readonly step: AnyStep
  readonly writes: number
}

/** The whole system at one moment: the node, and where each party stands. */
interface System {
  readonly node: Node
  readonly places: ReadonlyArray<Place>
}

export interface Exploration {
  readonly states: number
  readonly transitions: number
  /** How many different orders of commands there are, from the start to an end. */
  readonly interleavings: number
  /** How each of the end states turned out, in words. */
  readonly ends: ReadonlyArray<string>
  /** The first thing found wrong, and the commands that lead there. */
  readonly violation: { readonly problem: string; readonly trace: ReadonlyArray<string> } | null
}

/** Longer than any of the machines could run: what is not over by then is taken to hang. */
const DEPTH = 40

const holds = (stored: Stored, wire: string) => stored instanceof Uint8Array && sameBytes(stored, wire)

const shown = (value: Stored | Reply): string =>
  value instanceof ServerError
    ? value.message
    : typeof value === "string" || value instanceof Uint8Array
      ? printable(value)
      : value === null
        ? "null"
        : "…"

const keyOf = (system: System): string =>
  JSON.stringify([
    shown(system.node.stored),
    system.node.writes,
    system.places.map(({ step, writes }) => [
      step._tag,
      writes,
      step._tag === "Send" ? [step.command, step.state] : step._tag === "Refuse" ? String(step.error) : null
    ])
  ])

/** One turn of a party: a connector's is one command, the module's is all of its commands at once. */
const turn = (system: System, index: number, who: Party): readonly [System, string] => {
  const lines: Array<string> = []
  let node = system.node
  let { step, writes } = system.places[index] as Place
  const atomic = who.lane === "verb" || who.lane === "install"
  do {
    if (step._tag !== "Send") break
    const [reply, next] = execute(node, step.command)
    lines.push(`${step.command.join(" ")} -> ${shown(reply)}`)
    writes += next.writes - node.writes
    node = next
    step = who.machine.next(step.state, reply)
  } while (atomic && lines.length < DEPTH)
  return [
    { node, places: system.places.with(index, { step, writes }) },
    `${who.name}: ${lines.join(", ")}${step._tag === "Send" ? "" : `: ${step._tag}`}`
  ]
}

const wireOf = (lane: Lane) => (lane === "wire4" ? WIRE_4 : WIRE_6)

/** What is wrong with a system, at whatever moment, or null. */
const problemOf = (parties: ReadonlyArray<Party>, start: Stored, { node, places }: System): string | null => {
  if (start !== null && node.writes > 0) return `a write landed on a node that held ${shown(start)}`
  if (node.writes > 1) return "two writes landed"
  const over = places.every(({ step }) => step._tag !== "Send")
  for (const [i, { name, lane }] of parties.entries()) {
    const { step, writes } = places[i] as Place
    const right = holds(node.stored, wireOf(lane))
    if (writes > 0 && (lane === "wire6" || lane === "verb")) return `${name} wrote`
    if (step._tag === "Pass" && !right) return `${name} runs on a node that holds ${shown(node.stored)}`
    if (step._tag === "Refuse" && writes > 0) return `${name} wrote and was refused`
    if (step._tag === "NotReady") return `${name} stands back from a node that is ready`
    // Wire 4 claims what is absent, so only a foreign value may turn it away; the others may have come too early.
    if (over && lane === "wire4" && step._tag === "Refuse" && right)
      return `${name} was refused by its own wire`
  }
  return null
}

const endOf = (parties: ReadonlyArray<Party>, { node, places }: System): string => {
  const running = parties.filter((_, i) => places[i]?.step._tag === "Pass").map(({ name }) => name)
  return `${shown(node.stored)}: ${running.length === 0 ? "none" : running.join(" ")} run`
}

interface Edge {
  readonly line: string
  readonly to: string
}

interface Visited {
  readonly system: System
  /** A shortest way here. */
  readonly trace: ReadonlyArray<string>
  readonly edges: Array<Edge>
}

/** How many ways there are from a system to an end, or the lines after which it comes back to where it was. */
const waysFrom = (seen: ReadonlyMap<string, Visited>, first: string): number | ReadonlyArray<string> => {
  const known = new Map<string, number>()
  const path: Array<Edge> = [{ line: "", to: first }]

  const walk = (key: string): number | ReadonlyArray<string> => {
    const { edges } = seen.get(key) as Visited
    let ways = edges.length === 0 ? 1 : 0
    for (const edge of edges) {
      const back = path.findIndex(({ to }) => to === edge.to)
      path.push(edge)
      if (back !== -1)
        return [...(seen.get(edge.to) as Visited).trace, ...path.slice(back + 1).map(({ line }) => line)]
      const more = known.get(edge.to) ?? walk(edge.to)
      if (typeof more !== "number") return more
      ways += more
      path.pop()
    }
    known.set(key, ways)
    return ways
  }

  return walk(first)
}

/**
 * Plays every interleaving of the parties on one node: breadth first, so that the trace of
 * what is wrong is a shortest one. A system that can come back to where it was has a party that hangs.
 */
export const explore = (parties: ReadonlyArray<Party>, start: Node): Exploration => {
  const first = { node: start, places: parties.map(({ machine }) => ({ step: machine.start, writes: 0 })) }
  const seen = new Map<string, Visited>([[keyOf(first), { system: first, trace: [], edges: [] }]])
  const ends = new Set<string>()
  let transitions = 0

  const explored = (interleavings: number, violation: Exploration["violation"] = null): Exploration => ({
    states: seen.size,
    transitions,
    interleavings,
    ends: [...ends].sort(),
    violation
  })

  // A map gives what is added to it while it is gone through: it is the queue, too.
  for (const { system, trace, edges } of seen.values()) {
    const problem = trace.length > DEPTH ? "it never ends" : problemOf(parties, start.stored, system)
    if (problem !== null) return explored(0, { problem, trace })
    for (const [i, who] of parties.entries()) {
      if (system.places[i]?.step._tag !== "Send") continue
      transitions++
      const [next, line] = turn(system, i, who)
      const to = keyOf(next)
      edges.push({ line, to })
      if (!seen.has(to)) seen.set(to, { system: next, trace: [...trace, line], edges: [] })
    }
    if (edges.length === 0) ends.add(endOf(parties, system))
  }
  const ways = waysFrom(seen, keyOf(first))
  return typeof ways === "number"
    ? explored(ways)
    : explored(0, { problem: `${ways.at(-1)?.split(":")[0]} hangs`, trace: ways })
}
