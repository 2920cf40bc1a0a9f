import { ServerError } from "../../src/CallError.ts"
import { BUS, JOB_CORE } from "../../src/Capability.ts"
import type { Machine, Step } from "../../src/fence/Machine.ts"
import type { Reply } from "../../src/Reply.ts"
import { toBytes } from "../../src/Utf8.ts"
import { VERSION_KEY } from "../../src/Wire.ts"

/** The version key of a model node: absent, a string, or a value of another type. */
export type Stored = null | Uint8Array | "other-type"

/** A server as far as the fence can see it. Immutable: a command gives the next one. */
export interface Node {
  readonly stored: Stored
  /** How many commands have written. */
  readonly writes: number
}

export const node = (stored: string | Stored): Node => ({
  stored: typeof stored === "string" && stored !== "other-type" ? toBytes(stored) : stored,
  writes: 0
})

export const WRONGTYPE = ServerError.of("WRONGTYPE Operation against a key holding the wrong kind of value")

/** What `EMQ.VERSION` replies on a model node. */
export const shipped: { readonly [name: string]: Reply } = {
  wire: "echomq:6.0.0",
  module: "trafikey",
  module_version: "0.1.0",
  module_major: 0,
  build: null,
  capabilities: [...JOB_CORE, ...BUS]
}

/** Executes one command, all at once, as a server does. A command that no machine may send is a broken test. */
export const execute = (at: Node, command: ReadonlyArray<string>): readonly [Reply, Node] => {
  const [name, key, value, option, ...rest] = command
  if (name === "EMQ.VERSION" && key === undefined) return [shipped, at]
  if (name === "GET" && key === VERSION_KEY && value === undefined) {
    return [at.stored === "other-type" ? WRONGTYPE : at.stored, at]
  }
  if (name === "SET" && key === VERSION_KEY && value !== undefined && rest.length === 0) {
    if (option === "NX" && at.stored !== null) return [null, at]
    if (option === "NX" || option === undefined) {
      return ["OK", { stored: toBytes(value), writes: at.writes + 1 }]
    }
  }
  throw new Error(`the model knows no ${command.join(" ")}`)
}

export interface Played<Pass, Refusal> {
  readonly end: Exclude<Step<never, Pass, Refusal>, { readonly _tag: "Send" }>
  readonly node: Node
  readonly sent: ReadonlyArray<string>
}

/** Plays a machine to its end with no one beside it. `refused` answers a command in the node's stead. */
export const play = <State, Pass, Refusal>(
  machine: Machine<State, Pass, Refusal>,
  start: Node,
  refused: (command: string) => Reply | undefined = () => undefined
): Played<Pass, Refusal> => {
  const sent: Array<string> = []
  let now = start
  let step = machine.start
  while (step._tag === "Send") {
    if (sent.length === 10) throw new Error("it never ends")
    const line = step.command.join(" ")
    sent.push(line)
    const instead = refused(line)
    const [reply, next]: readonly [Reply, Node] =
      instead === undefined ? execute(now, step.command) : [instead, now]
    now = next
    step = machine.next(step.state, reply)
  }
  return { end: step, node: now, sent }
}
