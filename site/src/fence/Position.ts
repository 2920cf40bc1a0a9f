import type { Fence, Reply, ServerError } from "@echomq/keyspace"
import { execute, type Node } from "../node/Node.ts"

type Refused = Fence.Wire4Refusal | Fence.Wire6Refusal | ServerError

/** How a machine ended. */
export type End = Exclude<Fence.Step<never, unknown, Refused>, { readonly _tag: "Send" }>

/** Where a machine stands, whatever its states are: before a command and what comes of its reply, or at its end. */
export type Position =
  | {
      readonly _tag: "Send"
      readonly command: ReadonlyArray<string>
      readonly take: (reply: Reply) => Position
    }
  | End

export const positionOf = <State, Pass, Refusal extends Refused>(
  machine: Fence.Machine<State, Pass, Refusal>,
  step: Fence.Step<State, Pass, Refusal> = machine.start
): Position =>
  step._tag === "Send"
    ? {
        _tag: "Send",
        command: step.command,
        take: (reply) => positionOf(machine, machine.next(step.state, reply))
      }
    : step

/** A command that was sent, and what came of it. */
export interface Exchange {
  readonly command: ReadonlyArray<string>
  readonly reply: Reply
  readonly wrote: boolean
}

/** Some commands that were sent, and where that leads. */
export interface Run {
  readonly exchanges: ReadonlyArray<Exchange>
  readonly position: Position
  readonly node: Node
}

/** Sends as many commands as are given, or fewer where the machine ends. */
export const play = (from: Position, at: Node, commands: number): Run => {
  if (from._tag !== "Send" || commands === 0) return { exchanges: [], position: from, node: at }
  const [reply, node] = execute(at, from.command)
  const exchange = { command: from.command, reply, wrote: node.writes > at.writes }
  const { exchanges, ...end } = play(from.take(reply), node, commands - 1)
  return { exchanges: [exchange, ...exchanges], ...end }
}
