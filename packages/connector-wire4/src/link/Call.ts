import {
  type CommandError,
  InexactInteger,
  type Reply,
  ServerError,
  type TransactionError
} from "@echomq/keyspace"
import { Effect } from "effect"
import { type Arguments, nameOf } from "./Arguments.ts"
import type { Request } from "./Link.ts"

/**
 * One command of a caller, from its acceptance until its reply, a failure or an
 * interruption, whichever is first.
 */
export abstract class Call implements Request {
  readonly args: Arguments
  readonly bytes: boolean
  settled = false

  constructor(args: Arguments, bytes: boolean) {
    this.args = args
    this.bytes = bytes
  }

  get name(): string {
    return nameOf(this.args)
  }

  abstract reply(reply: Reply): void
  abstract fail(error: CommandError): void
}

type Resume<A, E> = (effect: Effect.Effect<A, E>) => void

/** A command by itself: its reply is its caller's result, and an error reply its caller's failure. */
export class Single extends Call {
  readonly #resume: Resume<Reply, CommandError>

  constructor(args: Arguments, bytes: boolean, resume: Resume<Reply, CommandError>) {
    super(args, bytes)
    this.#resume = resume
  }

  reply(reply: Reply): void {
    this.#resume(
      reply instanceof ServerError || reply instanceof InexactInteger
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
export class Member extends Call {
  readonly #group: Group
  readonly #index: number

  constructor(args: Arguments, bytes: boolean, group: Group, index: number) {
    super(args, bytes)
    this.#group = group
    this.#index = index
  }

  reply(reply: Reply): void {
    this.#group.reply(this.#index, reply)
  }

  fail(error: TransactionError): void {
    this.#group.fail(error)
  }
}
