import type { CommandError, Reply } from "@echomq/keyspace"
import { InexactInteger, ServerError } from "@echomq/keyspace"
import { Cause, Exit, Option } from "effect"
import type { Entry } from "./Entry.ts"

/** What is known of the writes of one connector in one epoch. */
export class Ledger {
  readonly name: string
  readonly entries: Array<Entry> = []
  #transactions = 0

  constructor(name: string) {
    this.name = name
  }

  /** Enters one call's writes, at the moment at which the call is made. */
  enter(sizes: ReadonlyArray<number>, link: number, atomic: boolean): ReadonlyArray<Entry> {
    const transaction = atomic ? ++this.#transactions : null
    return sizes.map((size) => {
      const entry: Entry = {
        n: this.entries.length,
        link,
        transaction,
        size,
        outcome: "waiting",
        why: "",
        position: null
      }
      this.entries.push(entry)
      return entry
    })
  }
}

const conclude = (entry: Entry, outcome: Entry["outcome"], why: string): void => {
  entry.outcome = outcome
  entry.why = why
}

/** What a reply in its place says of one write; a defect of the connector where it is no reply of that write. */
const reply = (entry: Entry, reply: Reply | undefined): string | null => {
  if (reply instanceof ServerError) {
    conclude(entry, "not-applied", reply.code)
    return null
  }
  if (typeof reply === "number" && Number.isInteger(reply) && reply > 0) {
    conclude(entry, "acknowledged", "reply")
    entry.position = reply
    return null
  }
  conclude(entry, "unknown", "odd reply")
  return `write ${entry.n} got ${reply instanceof InexactInteger ? reply.message : JSON.stringify(reply)} as its reply`
}

/** What the failure of a call says of its writes. */
const failure = (error: CommandError): readonly [Entry["outcome"], string] => {
  switch (error._tag) {
    case "Disconnected":
      return error.outcome === "not-sent" ? ["not-applied", "not-sent"] : ["unknown", "Disconnected"]
    case "CommandTimeout":
    case "InexactInteger":
      return ["unknown", error._tag]
    // In flight or not: the connector does not say.
    case "Closed":
      return ["unknown", "Closed"]
    case "ServerError":
      return ["not-applied", error.code]
    case "CommandRefused":
    case "Overloaded":
      return ["not-applied", error._tag]
    default:
      // A connector stops while it is not connected, so what fails with the reason was not sent.
      return ["not-applied", error._tag]
  }
}

/**
 * Concludes the writes of a call from its end. Gives the tag with which it ended and what is wrong with that, if
 * anything.
 */
export const settle = (
  entries: ReadonlyArray<Entry>,
  exit: Exit.Exit<Reply | ReadonlyArray<Reply>, CommandError>
): { readonly tag: string; readonly wrong: ReadonlyArray<string> } => {
  if (Exit.isSuccess(exit)) {
    const replies = Array.isArray(exit.value) ? (exit.value as ReadonlyArray<Reply>) : [exit.value as Reply]
    const wrong = entries.map((entry, i) => reply(entry, replies[i])).filter((problem) => problem !== null)
    return {
      tag: "reply",
      wrong:
        replies.length === entries.length ? wrong : [`${entries.length} writes got ${replies.length} replies`]
    }
  }
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (error !== undefined) {
    const [outcome, why] = failure(error)
    for (const entry of entries) conclude(entry, outcome, why)
    return { tag: why, wrong: [] }
  }
  const interrupted = Cause.hasInterruptsOnly(exit.cause)
  for (const entry of entries) conclude(entry, "unknown", interrupted ? "interrupted" : "defect")
  return interrupted
    ? { tag: "interrupted", wrong: [] }
    : { tag: "defect", wrong: [`a call ended in a defect: ${Cause.pretty(exit.cause)}`] }
}
