import { absent, type Choice, storedBy } from "../node/Choice.ts"
import { node } from "../node/Node.ts"
import { type LaneId, laneIds, lanes } from "./Lane.ts"
import { play, type Run } from "./Position.ts"

/** A lane on its own copy of the node: all that it has sent, and where it stands. */
export interface LaneRun extends Run {
  readonly id: LaneId
}

export interface Fence {
  readonly choice: Choice
  readonly runs: ReadonlyArray<LaneRun>
}

const begin = (choice: Choice): Fence => ({
  choice,
  runs: laneIds.map((id) => ({ id, ...play(lanes[id].start, node(storedBy(choice)), 0) }))
})

export const first = begin(absent)

const further = ({ choice, runs }: Fence, commands: number): Fence => ({
  choice,
  runs: runs.map(({ exchanges, id, node, position }) => {
    const next = play(position, node, commands)
    return { id, ...next, exchanges: [...exchanges, ...next.exchanges] }
  })
})

/** How many steps were taken. */
export const steps = ({ runs }: Fence): number => Math.max(...runs.map(({ exchanges }) => exchanges.length))

export const settled = ({ runs }: Fence): boolean => runs.every(({ position }) => position._tag !== "Send")

export type Action =
  | { readonly _tag: "Choose"; readonly choice: Choice }
  | { readonly _tag: "Step" }
  | { readonly _tag: "End" }
  | { readonly _tag: "Reset" }

export const act = (fence: Fence, action: Action): Fence => {
  switch (action._tag) {
    case "Choose":
      return begin(action.choice)
    case "Step":
      return further(fence, 1)
    case "End":
      return further(fence, Number.POSITIVE_INFINITY)
    case "Reset":
      return begin(fence.choice)
  }
}
