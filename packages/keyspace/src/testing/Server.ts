import { Disconnected, ServerError } from "../CallError.ts"
import type { Message } from "../Connector.ts"
import { wordOf } from "../Refusal.ts"
import { type Binary, binary, textOf } from "./Binary.ts"
import { commands } from "./commands/index.ts"
import { glob } from "./Glob.ts"
import { type Host, type Verb, Wait, wrongArity } from "./Host.ts"
import { type Module, verbsOf } from "./Module.ts"
import type { Raw, Raws } from "./Raw.ts"
import type { Session } from "./Session.ts"
import { Store } from "./Store.ts"
import { runTwin, type Twin } from "./Twin.ts"

/** Who listens to channels of these names, or to such as match them. */
export interface Listener {
  readonly mode: "channels" | "patterns"
  readonly names: ReadonlyArray<string>
  readonly onMessage: (message: Message) => void
}

/** A command that blocks until there is data, its caller goes, or its time is up. */
interface Waiter {
  readonly args: ReadonlyArray<Binary>
  readonly isAwaited: () => boolean
  readonly land: (raws: Raws) => void
}

const LONGEST_ARGUMENTS = 128

/** The server's own words; of the arguments, which it repeats, it shows the first. */
const unknownCommand = ([name = "", ...args]: ReadonlyArray<Binary>): ServerError => {
  let shown = ""
  for (const arg of args) {
    if (shown.length >= LONGEST_ARGUMENTS) break
    shown += `'${arg.slice(0, LONGEST_ARGUMENTS - shown.length)}' `
  }
  return ServerError.of(
    `ERR unknown command '${name.slice(0, LONGEST_ARGUMENTS)}', with args beginning with: ${shown}`
  )
}

/** A node in memory: it holds data, executes commands and knows its connections, and nothing of fences. */
export class Server implements Host {
  readonly store: Store
  readonly listeners = new Set<Listener>()
  readonly sessions = new Set<Session>()
  readonly twins = new Map<Binary, Twin>()
  /** The scripts that have run here since the start, which a connector need not load. */
  readonly known = new Set<Binary>()
  running = true
  readonly #later: (millis: number, job: () => void) => void
  #held: Array<() => void> | null = null
  #waiters: ReadonlyArray<Waiter> = []
  #verbs: ReadonlyMap<string, Verb> = new Map()

  constructor(now: () => number, later: (millis: number, job: () => void) => void) {
    this.store = new Store(now)
    this.#later = later
  }

  load(module: Module): void {
    this.#verbs = verbsOf(module)
  }

  readonly publish = (channel: Binary, message: Binary): number => {
    let receivers = 0
    for (const { mode, names, onMessage } of this.listeners) {
      for (const name of new Set(names.map(binary))) {
        if (mode === "channels" ? name !== channel : !glob(name)(channel)) continue
        receivers++
        onMessage({
          channel: textOf(channel),
          pattern: mode === "channels" ? null : textOf(name),
          message: textOf(message)
        })
      }
    }
    return receivers
  }

  readonly evaluate = (lua: Binary, keys: ReadonlyArray<Binary>, args: ReadonlyArray<Binary>): Raw => {
    this.known.add(lua)
    return runTwin(this.twins.get(lua), this.execute, lua, keys, args)
  }

  #find(args: ReadonlyArray<Binary>): Verb | ServerError {
    const name = wordOf(args[0])
    const verb = this.#verbs.get(name) ?? commands.get(name)
    if (verb === undefined) return unknownCommand(args)
    const count = args.length - 1
    return count < verb.least || count > verb.most ? wrongArity(name) : verb
  }

  #attempt(args: ReadonlyArray<Binary>): Raw | Wait {
    const verb = this.#find(args)
    return verb instanceof ServerError ? verb : verb.run(this, args.slice(1))
  }

  /** Executes one command; where it would block, it is answered as when its time is up. */
  readonly execute = (args: ReadonlyArray<Binary>): Raw => {
    const raw = this.#attempt(args)
    return raw instanceof Wait ? null : raw
  }

  /** Executes what a connection has sent, now or once the node is no longer paused. */
  receive(
    sent: ReadonlyArray<ReadonlyArray<Binary>>,
    atomic: boolean,
    isAwaited: () => boolean,
    land: (raws: Raws) => void
  ): void {
    this.#whenAwake(() => {
      const [first] = sent
      if (atomic) {
        // What is no valid command has all of them discarded.
        const invalid = sent.map((args) => this.#find(args)).find((found) => found instanceof ServerError)
        land(invalid ?? sent.map(this.execute))
      } else if (first !== undefined && sent.length === 1) this.#one(first, isAwaited, land)
      else land(sent.map(this.execute))
      this.#wake()
    })
  }

  /** Executes a command by the hand of the test. */
  byHand(args: ReadonlyArray<Binary>): Raw {
    const raw = this.execute(args)
    this.#wake()
    return raw
  }

  #one(args: ReadonlyArray<Binary>, isAwaited: () => boolean, land: (raws: Raws) => void): void {
    const raw = this.#attempt(args)
    if (!(raw instanceof Wait)) {
      land([raw])
      return
    }
    this.#waiters = [...this.#waiters, { args, isAwaited, land }]
    if (raw.millis > 0) this.#later(raw.millis, () => land([null]))
  }

  /** Serves those that wait, in the order in which they came, with what has come. */
  #wake(): void {
    this.#waiters = this.#waiters.filter(({ args, isAwaited, land }) => {
      if (!isAwaited()) return false
      const raw = this.#attempt(args)
      if (raw instanceof Wait) return true
      land([raw])
      return false
    })
  }

  #whenAwake(job: () => void): void {
    if (this.#held === null) job()
    else this.#held.push(job)
  }

  pause(): void {
    this.#held ??= []
  }

  resume(): void {
    const held = this.#held ?? []
    this.#held = null
    for (const job of held) job()
  }

  /** Ends every connection. */
  cut(): void {
    for (const session of [...this.sessions]) session.end(new Disconnected({ outcome: "unknown" }))
  }

  kill(): void {
    this.running = false
    this.#held = null
    this.#waiters = []
    this.known.clear()
    this.cut()
  }
}
