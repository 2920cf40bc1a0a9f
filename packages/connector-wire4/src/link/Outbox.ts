import {
  type Closed,
  CommandTimeout,
  Disconnected,
  type FatalError,
  Overloaded,
  type Reply,
  ServerError,
  type Stats,
  type TransactionError
} from "@echomq/keyspace"
import type { Clock } from "effect"
import type { Call } from "./Call.ts"
import type { Link, Replies, Request } from "./Link.ts"
import { Loaded } from "./Scripts.ts"

/**
 * Into how many batches what waits is divided: while the server works on one, this process works on the other.
 * Smaller ones are not worth their round trips, and larger ones no better.
 */
const SHARES = 2
const LEAST = 16
const MOST = 512

/**
 * How many batches may be on their way at once. What comes meanwhile goes out together, which a crowd of callers
 * that come one by one needs.
 */
const WINDOW = 8

/** How many where the next is a transaction, which gains nothing by waiting. The driver mixes up the order of more than 50. */
const ORDERED = 40

const PING: Request = { name: "PING", args: ["PING"], bytes: false }

const isWaiting = (call: Call): boolean => !call.settled

/** Why there is no link to send on. */
export type Shut = Disconnected | Closed | FatalError

/** The calls of one tick, or of one transaction: queued first, then on their way, alone or with others. */
interface Group {
  readonly calls: Array<Call>
  readonly atomic: boolean
  readonly since: number
  /** Its calls are answered already, though the link may yet answer it. */
  expired: boolean
}

export interface OutboxLimits {
  /** Of calls that wait. */
  readonly pendingLimit: number
  /** Of the bytes of one command. */
  readonly commandLimit: number
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
  readonly commandLimit: number
  readonly #events: OutboxEvents
  #link: Link | null = null
  #shut: Shut = new Disconnected({ outcome: "not-sent" })
  /** The groups that wait to be sent, and that of them which may still grow. */
  #queue: Array<Group> = []
  #growing: Group | null = null
  /** The batches on their way, the oldest first. */
  #sent: Array<ReadonlyArray<Group>> = []
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

  constructor(clock: Clock.Clock, limits: OutboxLimits, events: OutboxEvents) {
    this.#clock = clock
    this.#limit = limits.pendingLimit
    this.commandLimit = limits.commandLimit
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
    this.#link = null
    this.#shut = reason._tag === "Disconnected" ? new Disconnected({ outcome: "not-sent" }) : reason
    const sent = this.#sent.flat()
    const queue = this.#queue
    this.#sent = []
    this.#queue = []
    this.#growing = null
    const unknown = reason._tag === "Disconnected" ? new Disconnected({ outcome: "unknown" }) : reason
    for (const group of sent) this.#failAll(group.calls, unknown)
    for (const group of queue) this.#failAll(group.calls, this.#shut)
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
    const growing = this.#growing
    if (growing !== null && growing.calls.length < this.#share) growing.calls.push(call)
    else this.#growing = this.#enqueue([call], false)
  }

  /** The same as one transaction, between what was pushed before it and after. */
  transact(calls: ReadonlyArray<Call>): void {
    this.#accept(calls.length)
    this.#growing = null
    this.#enqueue([...calls], true)
  }

  /** Forgets a call that nobody waits for: one not yet sent stays unsent, the reply of another is dropped. */
  drop(call: Call): void {
    this.#settle(call)
  }

  #accept(count: number): void {
    this.#pending += count
    this.stats.commands += count
  }

  #enqueue(calls: Array<Call>, atomic: boolean): Group {
    const group: Group = { calls, atomic, since: this.#now(), expired: false }
    this.#queue.push(group)
    if (!this.#scheduled) {
      this.#scheduled = true
      queueMicrotask(() => {
        this.#scheduled = false
        this.#flush()
      })
    }
    return group
  }

  /** Sends from the queue as much as may be on its way. */
  #flush(): void {
    this.#growing = null
    for (let link = this.#link; link !== null && this.#mayGo(); link = this.#link) {
      this.#send(link, this.#take())
    }
  }

  #mayGo(): boolean {
    const [next] = this.#queue
    return next !== undefined && this.#sent.length < (next.atomic ? ORDERED : WINDOW)
  }

  /** How many commands of those that wait a batch is to have. */
  get #share(): number {
    return Math.min(MOST, Math.max(LEAST, Math.ceil(this.#pending / SHARES)))
  }

  /** Takes the groups of the next batch from the queue: a transaction by itself, and of others as many as fit. */
  #take(): ReadonlyArray<Group> {
    const share = this.#share
    let count = 0
    let size = 0
    for (const { atomic, calls } of this.#queue) {
      size += calls.length
      if (count > 0 && (atomic || size > share)) break
      count++
      if (atomic) break
    }
    if (count < this.#queue.length) return this.#queue.splice(0, count)
    const groups = this.#queue
    this.#queue = []
    return groups
  }

  #send(link: Link, groups: ReadonlyArray<Group>): void {
    const [first] = groups
    if (first === undefined) return
    const all = groups.length === 1 ? first.calls : groups.flatMap(({ calls }) => calls)
    const calls = all.every(isWaiting) ? all : all.filter(isWaiting)
    if (calls.length === 0) return
    const sentAt = this.#now()
    this.#owesSince ??= sentAt
    this.#sent.push(groups)
    link.send(calls, first.atomic, (replies) => {
      // What a loss took out has been answered; another link may serve by now.
      if (this.#link !== link) return
      this.#sent.splice(this.#sent.indexOf(groups), 1)
      this.#land(calls, sentAt, replies)
      this.#flush()
    })
  }

  #land(calls: ReadonlyArray<Call>, sentAt: number, replies: Replies): void {
    if (replies === null) {
      this.#failAll(calls, new Disconnected({ outcome: "unknown" }))
      return
    }
    this.#heard()
    this.#events.onReplies(this.#heardAt - sentAt)
    if (replies instanceof ServerError) {
      this.#failAll(calls, replies)
      this.#look(replies)
      return
    }
    for (let i = 0; i < calls.length; i++) {
      const call = calls[i]
      const reply = replies[i]
      if (call === undefined || reply === undefined) break
      this.#reply(call, reply)
      if (typeof reply === "object") this.#look(reply)
    }
  }

  #heard(): void {
    this.#heardAt = this.#now()
    this.#owesSince = this.#sent.length === 0 ? null : this.#heardAt
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

  #fail(call: Call, error: TransactionError): void {
    if (!this.#settle(call)) return
    this.#count(error._tag)
    call.fail(error)
  }

  #failAll(calls: ReadonlyArray<Call>, error: TransactionError): void {
    for (const call of calls) this.#fail(call, error)
  }

  #count(tag: string): void {
    this.failures.set(tag, (this.failures.get(tag) ?? 0) + 1)
  }

  /** Answers the calls that have waited for `timeout` milliseconds. */
  expire(timeout: number): void {
    const before = this.#now() - timeout
    for (const group of [...this.#sent.flat(), ...this.#queue]) {
      // They are in the order in which they were made.
      if (group.since > before) return
      if (group.expired) continue
      group.expired = true
      for (const call of group.calls) {
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
