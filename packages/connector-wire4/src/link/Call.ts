import {
  type CommandError,
  InexactInteger,
  type Reply,
  ServerError,
  type TransactionError
} from "@echomq/keyspace"
import { Effect, Effectable } from "effect"
import { type Arguments, nameOf } from "./Arguments.ts"
import type { Request } from "./Link.ts"

/**
 * One command of a caller, from its acceptance until its reply, a failure or an
 * interruption, whichever is first.
 */
export interface Call extends Request {
  settled: boolean
  reply(reply: Reply): void
  fail(error: CommandError): void
}

type Resume<A, E> = (effect: Effect.Effect<A, E>) => void

/** Where calls wait. */
interface Waiting {
  readonly drop: (call: Call) => void
}

/**
 * A command by itself: its reply is its caller's result, and an error reply its caller's failure.
 *
 * As an effect it is its own interruption, since each call would need an object for that otherwise.
 */
export class Single extends Effectable.Class<void> implements Call {
  readonly args: Arguments
  readonly bytes: boolean
  settled = false
  readonly #waiting: Waiting
  readonly #resume: Resume<Reply, CommandError>

  constructor(args: Arguments, bytes: boolean, waiting: Waiting, resume: Resume<Reply, CommandError>) {
    super()
    this.args = args
    this.bytes = bytes
    this.#waiting = waiting
    this.#resume = resume
  }

  get name(): string {
    return nameOf(this.args)
  }

  asEffect(): Effect.Effect<void> {
    this.#waiting.drop(this)
    return Effect.void
  }

  reply(reply: Reply): void {
    this.#resume(
      typeof reply === "object" && (reply instanceof ServerError || reply instanceof InexactInteger)
        ? Effect.fail(reply)
        : Effect.succeed(reply)
    )
  }

  fail(error: CommandError): void {
    this.#resume(Effect.fail(error))
  }
}

/** The replies of commands whose caller waits for all of them. */
export class Group {
  readonly #replies: Array<Reply>
  readonly #resume: Resume<ReadonlyArray<Reply>, TransactionError>
  #waiting: number

  constructor(size: number, resume: Resume<ReadonlyArray<Reply>, TransactionError>) {
    this.#replies = new Array<Reply>(size).fill(null)
    this.#waiting = size
    this.#resume = resume
  }

  reply(index: number, reply: Reply): void {
    this.#replies[index] = reply
    if (--this.#waiting === 0) this.#resume(Effect.succeed(this.#replies))
  }

  fail(error: TransactionError): void {
    this.#resume(Effect.fail(error))
  }
}

/** One command of a group: an error reply is a value in its place. */
export class Member implements Call {
  readonly args: Arguments
  readonly bytes: boolean
  settled = false
  readonly #group: Group
  readonly #index: number

  constructor(args: Arguments, bytes: boolean, group: Group, index: number) {
    this.args = args
    this.bytes = bytes
    this.#group = group
    this.#index = index
  }

  get name(): string {
    return nameOf(this.args)
  }

  reply(reply: Reply): void {
    this.#group.reply(this.#index, reply)
  }

  fail(error: TransactionError): void {
    this.#group.fail(error)
  }
}
