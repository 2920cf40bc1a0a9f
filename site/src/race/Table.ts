import { type LaneId, lanes } from "../fence/Lane.ts"
import { type Exchange, type Position, play } from "../fence/Position.ts"
import { type Node, node, type Stored } from "../node/Node.ts"
import { random } from "./random.ts"

/** Someone at the one node. */
export interface Party {
  readonly lane: LaneId
  /** A letter. */
  readonly place: string
  /** Such as `Wire-4 connector A`. */
  readonly name: string
  readonly position: Position
}

/** What a party did when it was its turn. */
export interface Turn {
  /** The party, after its turn. */
  readonly party: Party
  readonly exchanges: ReadonlyArray<Exchange>
  readonly node: Node
}

/** The node, who is at it, and all that was done so far. */
export interface Table {
  readonly node: Node
  readonly parties: ReadonlyArray<Party>
  readonly log: ReadonlyArray<Turn>
}

export const table = (stored: Stored, ids: ReadonlyArray<LaneId>): Table => ({
  node: node(stored),
  parties: ids.map((lane, at) => {
    const { name, start } = lanes[lane]
    const place = "ABCDE".charAt(at)
    return { lane, place, name: `${name} ${place}`, position: start }
  }),
  log: []
})

/** Those who have not settled. */
export const undecided = ({ parties }: Table): ReadonlyArray<Party> =>
  parties.filter(({ position }) => position._tag === "Send")

/** A connector sends one command. The server executes one of the module's whole, whatever it is made of. */
export const turn = (at: Table, party: Party): Table => {
  const commands = lanes[party.lane].command === null ? 1 : Number.POSITIVE_INFINITY
  const { exchanges, node, position } = play(party.position, at.node, commands)
  const after = { ...party, position }
  return {
    node,
    parties: at.parties.map((other) => (other === party ? after : other)),
    log: [...at.log, { party: after, exchanges, node }]
  }
}

/** Gives turns at random until all have settled. */
export const shuffled = (from: Table, seed: number): Table => {
  const next = random(seed)
  const settle = (at: Table): Table => {
    const waiting = undecided(at)
    const party = waiting[Math.floor(next() * waiting.length)]
    return party === undefined ? at : settle(turn(at, party))
  }
  return settle(from)
}
