/**
 * What must not be sent over a connection that callers share, whichever driver carries it.
 */

import { CommandRefused } from "./CallError.ts"
import { printable } from "./Printable.ts"
import { toText } from "./Utf8.ts"

interface Reason {
  readonly why: string
  readonly instead: string
}

const state = (instead: string): Reason => ({
  why: "it would change the state of a connection that all callers share",
  instead
})

const blocks: Reason = {
  why: "it would hold up a connection that all callers share",
  instead: "use a lane, or its form that does not block"
}

const credentials = state("configure the username and the password")
const close = state("close the connector's scope")
const transaction = state("use the connector's transaction")
const watch = state("use a script, which runs as a whole")
const subscription = state("use the connector's subscribe")
const ownConnection = state("use a connection of your own")

const commands: ReadonlyMap<string, Reason> = new Map([
  ["AUTH", credentials],
  ["HELLO", credentials],
  ["RESET", close],
  ["QUIT", close],
  ["SELECT", state("configure the database")],
  ["MULTI", transaction],
  ["EXEC", transaction],
  ["DISCARD", transaction],
  ["WATCH", watch],
  ["UNWATCH", watch],
  ["SUBSCRIBE", subscription],
  ["PSUBSCRIBE", subscription],
  ["SSUBSCRIBE", subscription],
  ["UNSUBSCRIBE", subscription],
  ["PUNSUBSCRIBE", subscription],
  ["SUNSUBSCRIBE", subscription],
  ["MONITOR", ownConnection],
  ["SYNC", ownConnection],
  ["PSYNC", ownConnection],
  ["REPLCONF", ownConnection],
  ["READONLY", ownConnection],
  ["READWRITE", ownConnection],
  ["ASKING", ownConnection],
  ["BLPOP", blocks],
  ["BRPOP", blocks],
  ["BRPOPLPUSH", blocks],
  ["BLMOVE", blocks],
  ["BLMPOP", blocks],
  ["BZPOPMIN", blocks],
  ["BZPOPMAX", blocks],
  ["BZMPOP", blocks],
  ["WAIT", blocks],
  ["WAITAOF", blocks]
])

const subcommands: ReadonlyMap<string, Reason> = new Map([
  ["CLIENT REPLY", ownConnection],
  ["CLIENT TRACKING", ownConnection],
  ["CLIENT CACHING", ownConnection],
  ["CLIENT NO-EVICT", ownConnection],
  ["CLIENT NO-TOUCH", ownConnection],
  ["CLIENT CAPA", ownConnection],
  ["CLIENT IMPORT-SOURCE", ownConnection],
  ["CLIENT SETINFO", ownConnection],
  ["CLIENT SETNAME", state("configure the client name")],
  ["SCRIPT DEBUG", ownConnection]
])

type Args = ReadonlyArray<string | Uint8Array>

/** What the server reads in the place of a name or an option: any case, and nothing from a zero byte on. */
export const wordOf = (part: string | Uint8Array | undefined): string => {
  const word =
    typeof part === "string"
      ? part.split("\0", 1)[0]
      : part?.subarray(0, part.includes(0) ? part.indexOf(0) : part.length)
  const text = word instanceof Uint8Array ? (toText(word) ?? printable(word)) : word
  return (text ?? "").toUpperCase()
}

/** Options stand before `STREAMS`, and what follows each is its value, whatever it spells. */
const values: Record<string, number> = { COUNT: 1, GROUP: 2 }

const hasBlock = (args: Args): boolean => {
  for (let i = 1; i < args.length; i++) {
    const option = wordOf(args[i])
    if (option === "BLOCK") return true
    if (option === "STREAMS") return false
    i += values[option] ?? 0
  }
  return false
}

const hasSubcommand = (name: string): boolean => name === "CLIENT" || name === "SCRIPT"

const reason = (name: string, args: Args): Reason | undefined => {
  if (hasSubcommand(name)) return subcommands.get(`${name} ${wordOf(args[1])}`)
  if (name === "XREAD" || name === "XREADGROUP") return hasBlock(args) ? blocks : undefined
  return commands.get(name)
}

/**
 * Why a command must not be sent over a connection, or `null` where it may. `name` is the
 * `wordOf` its first argument. A lane may block.
 */
export const refusal = (name: string, args: Args, lane: boolean): CommandRefused | null => {
  const found = reason(name, args)
  if (found === undefined || (lane && found === blocks)) return null
  const command = hasSubcommand(name) ? `${name} ${wordOf(args[1])}` : name
  return new CommandRefused({ command, ...found })
}
