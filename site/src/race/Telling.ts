import { lanes } from "../fence/Lane.ts"
import type { Exchange, Position } from "../fence/Position.ts"
import { shownReply } from "../node/Shown.ts"
import type { Turn } from "./Table.ts"

/** A turn as the log tells it: what was sent to the server, and what it replied. */
export interface Telling {
  readonly command: string
  readonly reply: string
  readonly wrote: boolean
  /** What the server did within a command of the module's. */
  readonly inside: ReadonlyArray<Exchange>
}

/** What the caller of a command of the module's gets. Once the fence passes, a verb's reply is about its own write. */
const replyOf = (position: Position): string =>
  position._tag === "Refuse"
    ? position.error.message
    : position._tag === "Pass" && typeof position.value === "number"
      ? shownReply(position.value)
      : "the verb’s own reply"

export const tell = ({ exchanges, party }: Turn): Telling => {
  const { command } = lanes[party.lane]
  const wrote = exchanges.some((exchange) => exchange.wrote)
  const [only] = exchanges
  return command === null && only !== undefined
    ? { command: only.command.join(" "), reply: shownReply(only.reply), wrote, inside: [] }
    : { command: command ?? "", reply: replyOf(party.position), wrote, inside: exchanges }
}
