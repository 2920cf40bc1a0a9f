import {
  type Closed,
  type CommandError,
  CommandTimeout,
  Disconnected,
  type FatalError,
  Overloaded,
  type Reply,
  ServerError,
  type Stats
} from "@echomq/keyspace"
import type { Clock } from "effect"
import type { Call } from "./Call.ts"
import type { Link, Replies, Request } from "./Link.ts"
import { Loaded } from "./Scripts.ts"

/** How many commands go out in one batch at most. */
const BATCH = 512

const PING: Request = { name: "PING", args: ["PING"], bytes: false }

const isWaiting = (call: Call): boolean => !call.settled

/** Why there is no link to send on. */
export type Shut = Disconnected | Closed | FatalError

/** A batch on its way. */
interface Flight {
  readonly calls: ReadonlyArray<Call>
  readonly sentAt: number
  /** Its calls are answered already, though the link may yet answer it. */
  expired: boolean
}

/** What is told of the replies as they come. */
export interface OutboxEvents {
  /** Of each error reply. */
  readonly onError: (error: ServerError) => void
  /** Of each batch, with the milliseconds since it was sent. */
  readonly onReplies: (milliseconds: number) => void
}

/**
 * The calls of one connector, between its callers and the link of the moment. Those of
 * one tick go out together, in the order in which they were made.
 *
 * Every call that is accepted here settles once: by its reply, by the time-out, by the
 * loss of the link, or by the end of the connector. None is ever sent twice.
 */
export class Outbox {
  readonly #clock: Clock.Clock
  readonly #limit: number
  readonly #events: OutboxEvents
  #link: Link | null = null
  #shut: Shut = new Disconnected({ outcome: "not-sent" })
  #queue: Array<Call> = []
  #flights = new Set<Flight>()
  #scheduled = false
  #pending = 0
  /** When the link last answered, and since when it owes an answer. */
  #heardAt = 0
  #owesSince: number | null = null
  /** Failures by the tag of their error, since they were last published. */
  readonly failures = new Map<string, number>()
  /** What was loaded over the link of the moment. */
  loaded = new Loaded()
  readonly stats = {
    commands: 0,
    pipelines: 0,
    transactions: 0,
    replies: 0,
    wireErrors: 0,
    overloads: 0,
    evalshaCalls: 0,
    scriptLoads: 0
  }

  constructor(clock: Clock.Clock, limit: number, events: OutboxEvents) {
    this.#clock = clock
    this.#limit = limit
    this.#events = events
  }

  get pending(): Stats["pending"] {
    return this.#pending
  }

  #now(): number {
    return Number(this.#clock.monotonicTimeNanosUnsafe()) / 1e6
  }

  /** Serves callers over a fenced link. */
  open(link: Link): void {
    if (this.#shut._tag !== "Disconnected") return
    this.#link = link
    this.loaded = new Loaded()
    this.#heardAt = this.#now()
    this.#owesSince = null
  }

  /** Takes the link away: what waits fails, and what comes is refused. The first final reason stays. */
  shut(reason: Shut): void {
    if (this.#shut._tag !== "Disconnected") return
    const connected = this.#link !== null
    this.#link = null
    this.#shut = reason._tag === "Disconnected" ? new Disconnected({ outcome: "not-sent" }) : reason
    const flights = this.#flights
    this.#flights = new Set()
    if (!connected) return
    const unknown = reason._tag === "Disconnected" ? new Disconnected({ outcome: "unknown" }) : reason
    for (const { calls } of flights) for (const call of calls) this.#fail(call, unknown)
    this.#failQueue()
  }

  /** Why `count` more commands cannot be taken now, or `null` where they can. */
  refusal(count: number): Shut | Overloaded | null {
    if (this.#link === null) return this.#shut
    if (this.#pending + count <= this.#limit) return null
    this.stats.overloads++
    this.#count("Overloaded")
    return new Overloaded({ pending: this.#pending, limit: this.#limit })
  }

  /** Takes a call that `refusal` has let pass; it goes out at the end of this tick. */
  push(call: Call): void {
    this.#accept(1)
    this.#queue.push(call)
    if (this.#scheduled) return
    this.#scheduled = true
    queueMicrotask(() => {
      this.#scheduled = false
      this.#flush()
    })
  }

  /** The same as one transaction, after all that was pushed before it. */
  transact(calls: ReadonlyArray<Call>): void {
    this.#accept(calls.length)
    this.#flush()
    if (this.#link === null) for (const call of calls) this.#fail(call, this.#shut)
    else this.#send(this.#link, calls, true)
  }

  /** Forgets a call that nobody waits for: one not yet sent stays unsent, the reply of another is dropped. */
  drop(call: Call): void {
    this.#settle(call)
  }

  #accept(count: number): void {
    this.#pending += count
    this.stats.commands += count
  }

  #failQueue(): void {
    const queue = this.#queue
    this.#queue = []
    for (const call of queue) this.#fail(call, this.#shut)
  }

  #flush(): void {
    const link = this.#link
    if (link === null) {
      this.#failQueue()
      return
    }
    const queue = this.#queue.every(isWaiting) ? this.#queue : this.#queue.filter(isWaiting)
    this.#queue = []
    for (let from = 0; from < queue.length; from += BATCH) {
      this.#send(link, queue.length <= BATCH ? queue : queue.slice(from, from + BATCH), false)
    }
  }

  #send(link: Link, calls: ReadonlyArray<Call>, atomic: boolean): void {
    const flight: Flight = { calls, sentAt: this.#now(), expired: false }
    this.#flights.add(flight)
    this.#owesSince ??= flight.sentAt
    link.send(calls, atomic, (replies) => {
      // A flight that a loss took out has been answered; another link may serve by now.
      if (this.#flights.delete(flight)) this.#land(flight, replies)
    })
  }

  #land({ calls, sentAt }: Flight, replies: Replies): void {
    if (replies === null) {
      for (const call of calls) this.#fail(call, new Disconnected({ outcome: "unknown" }))
      return
    }
    this.#heard()
    this.#events.onReplies(this.#heardAt - sentAt)
    if (replies instanceof ServerError) {
      for (const call of calls) this.#fail(call, replies)
      this.#look(replies)
      return
    }
    for (let i = 0; i < calls.length; i++) {
      const call = calls[i]
      const reply = replies[i]
      if (call === undefined || reply === undefined) break
      this.#reply(call, reply)
      this.#look(reply)
    }
  }

  #heard(): void {
    this.#heardAt = this.#now()
    this.#owesSince = this.#flights.size === 0 ? null : this.#heardAt
  }

  #look(reply: Reply): void {
    if (!(reply instanceof ServerError)) return
    this.stats.wireErrors++
    this.#count(reply._tag)
    this.#events.onError(reply)
  }

  #settle(call: Call): boolean {
    if (call.settled) return false
    call.settled = true
    this.#pending--
    return true
  }

  #reply(call: Call, reply: Reply): void {
    if (!this.#settle(call)) return
    this.stats.replies++
    call.reply(reply)
  }

  #fail(call: Call, error: CommandError): void {
    if (!this.#settle(call)) return
    this.#count(error._tag)
    call.fail(error)
  }

  #count(tag: string): void {
    this.failures.set(tag, (this.failures.get(tag) ?? 0) + 1)
  }

  /** Answers the calls that have waited for `timeout` milliseconds. */
  expire(timeout: number): void {
    const before = this.#now() - timeout
    for (const flight of this.#flights) {
      // Flights are in the order in which they were sent.
      if (flight.sentAt > before) return
      if (flight.expired) continue
      flight.expired = true
      for (const call of flight.calls) {
        this.#fail(
          call,
          new CommandTimeout({ command: call.name, milliseconds: timeout, outcome: "unknown" })
        )
      }
    }
  }

  /** Asks a link that has been quiet for `heartbeat` milliseconds for a sign of life. */
  beat(heartbeat: number): void {
    const now = this.#now()
    const link = this.#link
    if (link === null || this.#owesSince !== null || now - this.#heardAt < heartbeat) return
    this.#owesSince = now
    link.send([PING], false, (replies) => {
      if (this.#link === link && replies !== null) this.#heard()
    })
  }

  /** Whether the link has owed an answer for `timeout` milliseconds and given none. */
  isSilent(timeout: number): boolean {
    return this.#owesSince !== null && this.#now() - this.#owesSince >= timeout
  }
}
