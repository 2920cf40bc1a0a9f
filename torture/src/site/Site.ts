import type { Options } from "@echomq/connector-wire4/link"
import { IDENTITY, VERSION_KEY, type Wire } from "@echomq/keyspace"
import { type NodeOptions, TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { Cause, Effect, Exit, Fiber, Redacted } from "effect"
import { type Bounds, RECOVERY_LIMIT, SETTLE_SLACK } from "../Bounds.ts"
import type { CalmClock } from "../CalmClock.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { verify } from "../ledger/verify.ts"
import type { Step } from "../Plan.ts"
import type { Prng } from "../Prng.ts"
import { FaultProxy } from "../proxy/index.ts"
import type { Journal } from "../run/Journal.ts"
import { caller } from "./Caller.ts"
import { type Dump, dumpCommand, parseDump, type Then } from "./Dump.ts"
import { type Member, member } from "./Member.ts"
import { type Writes, writes } from "./Writes.ts"

/** What a site is like. */
export interface Plot {
  readonly name: string
  readonly wire: Wire
  readonly bounds: Bounds
  readonly connectors: number
  /** Callers of each connector. */
  readonly callers: number
  /** Whether the node asks for a password. */
  readonly password: boolean
  /** For how long a node answers `LOADING` after a start, in milliseconds. */
  readonly loading: number
}

const FIRST_PASSWORD = "password-0"

/**
 * A node that takes writes of one wire, connectors to it through a proxy, and their callers. Faults befall the node,
 * the proxy and the connectors; the site keeps account of what must then be found.
 */
export class Site {
  readonly plot: Plot
  readonly clock: CalmClock
  readonly journal: Journal
  readonly node: TestNode["Service"]
  readonly proxy: FaultProxy
  readonly writes: Writes
  readonly prng: Prng
  /** The password that the node asks for now. */
  password: string | null
  /** The same, as the connectors are told at each dial. */
  told: string | null
  /** The step that is under way. */
  step: Step | null = null
  members: ReadonlyArray<Member> = []
  #serial = 0
  #epoch = 0
  #isOpen = false
  #callers: ReadonlyArray<Fiber.Fiber<void>> = []
  /** What lives of the node have held in this epoch before their data went. */
  #dumps: Array<Dump> = []
  /** Whether the version key may be absent, since nobody has connected since it went. */
  unclaimed = false

  private constructor(
    plot: Plot,
    clock: CalmClock,
    journal: Journal,
    prng: Prng,
    node: TestNode["Service"],
    proxy: FaultProxy
  ) {
    this.plot = plot
    this.clock = clock
    this.journal = journal
    this.prng = prng
    this.node = node
    this.proxy = proxy
    this.writes = writes[plot.wire]
    this.startPassword = plot.password ? FIRST_PASSWORD : null
    this.password = this.startPassword
    this.told = this.password
  }

  static readonly make = Effect.fnUntraced(function* (
    plot: Plot,
    clock: CalmClock,
    journal: Journal,
    prng: Prng
  ) {
    const node = yield* TestNode.make(own(plot, plot.password ? FIRST_PASSWORD : null))
    const proxy = yield* FaultProxy.make(node)
    return new Site(plot, clock, journal, prng, node, proxy)
  })

  /** The password with which the node starts. */
  readonly startPassword: string | null

  /** A fresh node of this site's kind in the place of the one that is there. */
  get renew() {
    return () =>
      this.node.replace(own(this.plot, this.startPassword)).pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            this.password = this.startPassword
            this.told = this.startPassword
            this.unclaimed = this.plot.wire === 4
          })
        )
      )
  }

  /** The options of a node of this site. */
  get nodeOptions(): NodeOptions {
    return own(this.plot, this.password)
  }

  readonly violate = (what: string): void => {
    const { step } = this
    this.journal.violate(
      this.plot.name,
      step === null
        ? "between steps"
        : `${step.index} ${step.kind} ${JSON.stringify([step.gap, step.hold, step.dice])}`,
      what
    )
  }

  get #options(): Options {
    return {
      ...this.plot.bounds,
      host: this.proxy.host,
      port: this.proxy.port,
      ...(this.plot.password ? { password: Effect.sync(() => Redacted.make(this.told ?? "")) } : {})
    }
  }

  /** Has as many connectors as the site should have, all with ledgers of this epoch, and their callers at work. */
  readonly muster = Effect.fnUntraced(function* (this: Site) {
    this.#epoch++
    this.journal.epochs++
    this.members = this.members.filter(({ over }) => over === null)
    while (this.members.length < this.plot.connectors) {
      const name = `${this.plot.name}-${++this.#serial}`
      const added = yield* Effect.exit(member(name, this.plot.wire, this.#options))
      if (Exit.isFailure(added)) {
        this.violate(`${name} does not connect: ${Cause.pretty(added.cause)}`)
        break
      }
      this.journal.connectors++
      this.members = [...this.members, added.value]
    }
    this.#isOpen = true
    this.#callers = yield* Effect.forEach(
      this.members.flatMap((member) => new Array<Member>(this.plot.callers).fill(member)),
      (member) => {
        member.ledger = new Ledger(`${member.name}-${this.#epoch}`)
        return Effect.succeed(member)
      }
    ).pipe(
      Effect.flatMap(
        Effect.forEach((member) => Effect.forkDetach(caller(this.#workplace(member), this.prng.fork())))
      )
    )
  })

  #workplace(member: Member) {
    return {
      member,
      bounds: this.plot.bounds,
      writes: this.writes,
      clock: this.clock,
      journal: this.journal,
      violate: (what: string) => this.violate(`${member.name}: ${what}`),
      isOpen: () => this.#isOpen
    }
  }

  /** Takes what the node holds of this epoch's writes. */
  readonly dump = (then: Then) =>
    Effect.map(this.node.admin(...dumpCommand(this.writes, then)), (reply) => parseDump(this.writes, reply))

  /** Keeps a dump of data that is about to go. */
  keep(dump: Dump): void {
    this.#dumps.push(dump)
  }

  /** Cuts everyone off and lets nobody in, and keeps what the node then holds: from here on it takes no write. */
  readonly seal = Effect.fnUntraced(function* (this: Site) {
    yield* this.proxy.refuse
    yield* this.node.admin("MULTI")
    yield* this.node.admin(...dumpCommand(this.writes, "keep"))
    yield* this.killClients
    const [dump] = (yield* this.node.admin("EXEC")) as ReadonlyArray<unknown>
    this.keep(parseDump(this.writes, dump))
    this.proxy.close()
  })

  get killClients() {
    return this.node.admin("CLIENT", "KILL", "TYPE", "NORMAL", "SKIPME", "YES")
  }

  /** The connectors whose end was not due yet; whether they have ended all the same is to be seen. */
  get alive(): ReadonlyArray<Member> {
    return this.members.filter(({ dismissed }) => !dismissed)
  }

  /** Accounts for the end of a connector. */
  dismiss(member: Member, why: string): void {
    member.over ??= why
    member.dismissed = true
    this.journal.stops.add(why)
  }

  /** Waits until every connector serves a write again; none may have stopped. */
  readonly serving = Effect.fnUntraced(function* (this: Site) {
    const from = this.clock.now
    yield* Effect.forEach(
      this.alive,
      (member) =>
        Effect.gen({ self: this }, function* () {
          for (;;) {
            const tag = yield* member.connector.command(this.writes.probe).pipe(
              Effect.as("reply"),
              Effect.catch((error) =>
                Effect.succeed(error._tag === "ServerError" ? error.message : error._tag)
              )
            )
            if (tag === "reply") return
            const status = yield* member.connector.status
            if (status._tag === "Stopped") {
              this.dismiss(member, status.error._tag)
              return this.violate(`${member.name} stopped with ${status.error._tag}: ${status.error.message}`)
            }
            if (this.clock.now - from > RECOVERY_LIMIT) {
              this.dismiss(member, "lost")
              return this.violate(`${member.name} does not serve: ${tag}, ${status._tag}`)
            }
            yield* Effect.sleep("3 millis")
          }
        }),
      { concurrency: "unbounded", discard: true }
    )
    if (this.step !== null) this.journal.recovered(this.step.kind, this.clock.now - from)
  })

  /** Waits until every connector has stopped with one of these tags. */
  readonly stopped = Effect.fnUntraced(function* (this: Site, ...tags: ReadonlyArray<string>) {
    const from = this.clock.now
    yield* Effect.forEach(
      this.alive,
      (member) =>
        Effect.gen({ self: this }, function* () {
          for (;;) {
            const status = yield* member.connector.status
            if (status._tag === "Stopped") {
              this.dismiss(member, status.error._tag)
              if (tags.includes(status.error._tag)) return
              return this.violate(
                `${member.name} stopped with ${status.error._tag}, not ${tags.join()}: ${status.error.message}`
              )
            }
            if (this.clock.now - from > RECOVERY_LIMIT) {
              this.dismiss(member, "lost")
              return this.violate(`${member.name} does not stop but is ${status._tag}`)
            }
            yield* Effect.sleep("3 millis")
          }
        }),
      { concurrency: "unbounded", discard: true }
    )
  })

  /** Ends the epoch: callers finish, and what the node holds is held against what they know. */
  readonly settle = Effect.fnUntraced(function* (this: Site) {
    yield* this.#finish()
    for (const { name, over } of this.alive) if (over !== null) this.violate(`${name} ended with ${over}`)
    yield* this.#calm()
    const dumps = [...this.#dumps, yield* this.dump("drop")]
    this.#dumps = []
    for (const member of this.members) {
      const lists = dumps.map(({ lists }) => lists.get(member.ledger.name) ?? [])
      for (const problem of verify(member.ledger, lists)) this.violate(`${member.ledger.name}: ${problem}`)
    }
    const known = new Set(this.members.map(({ ledger }) => ledger.name))
    for (const { lists, strangers } of dumps) {
      for (const name of lists.keys())
        if (!known.has(name)) this.violate(`${name} was written after its epoch`)
      for (const key of strangers) this.violate(`there is a key that nobody wrote: ${key}`)
    }
    const identity = IDENTITY[this.plot.wire]
    const version = yield* this.node.admin("GET", VERSION_KEY)
    if (version === null && this.unclaimed) yield* this.node.admin("SET", VERSION_KEY, identity)
    else if (version !== identity) this.violate(`the version key is ${String(version)}`)
    this.unclaimed = false
    yield* Effect.forEach(
      this.members.filter(({ over }) => over !== null),
      ({ close, connector }) =>
        Effect.andThen(
          close,
          Effect.map(connector.stats, ({ pending, reconnects }) => {
            this.journal.reconnects += reconnects
            if (pending !== 0) this.violate(`a closed connector counts ${pending} calls as pending`)
          })
        )
    )
  })

  readonly #finish = Effect.fnUntraced(function* (this: Site) {
    this.#isOpen = false
    const from = this.clock.now
    const limit = this.plot.bounds.commandTimeout + SETTLE_SLACK + 500
    for (const fiber of this.#callers) {
      while (fiber.pollUnsafe() === undefined && this.clock.now - from < limit)
        yield* Effect.sleep("5 millis")
      if (fiber.pollUnsafe() === undefined) this.violate("a call does not settle")
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) this.violate(Cause.pretty(exit.cause))
    }
  })

  /** Bytes that are still on their way arrive within a moment of each other. */
  readonly #calm = Effect.fnUntraced(function* (this: Site) {
    let before = -1
    for (;;) {
      const { lists } = yield* this.dump("keep")
      const size = [...lists.values()].reduce((sum, list) => sum + list.length, 0)
      if (size === before) return
      before = size
      yield* Effect.sleep("80 millis")
    }
  })

  /** Closes the connectors. */
  readonly disband = Effect.suspend(() =>
    Effect.forEach(
      this.members,
      ({ close, connector }) =>
        Effect.andThen(
          close,
          Effect.map(connector.stats, ({ reconnects }) => {
            this.journal.reconnects += reconnects
          })
        ),
      { discard: true }
    )
  )
}

const own = ({ loading, wire }: Plot, password: string | null): NodeOptions => ({
  args: [
    ...["--repl-diskless-sync-delay", "0"],
    ...(password === null ? [] : ["--requirepass", password, "--masterauth", password])
  ],
  ...(loading > 0 ? { loading } : {}),
  ...(wire === 6 ? { seed: [["SET", VERSION_KEY, IDENTITY[6]]], module: modulePath() } : {})
})
