import { Effect } from "effect"
import { type Arguments, encodeWith, nameOf } from "../Arguments.ts"
import {
  type Closed,
  CommandRefused,
  CommandTimeout,
  Disconnected,
  InexactInteger,
  Overloaded,
  ServerError
} from "../CallError.ts"
import type { CommandError, PipelineError, ReplyOptions, ScriptCall, TransactionError } from "../Connector.ts"
import type { FatalError } from "../FatalError.ts"
import type { ConnectorMachine } from "../fence/Machine.ts"
import type { Command, Reply } from "../Reply.ts"
import type { Stats } from "../Stats.ts"
import { binary } from "./Binary.ts"
import { lost } from "./Connect.ts"
import type { Settings } from "./Limits.ts"
import { decode, type Raws } from "./Raw.ts"
import type { Session } from "./Session.ts"

/** Makes a command ready to be sent, or says why it must not be. */
export const encode = encodeWith((bytes) => bytes)

const isScriptCall = (item: Command | ScriptCall): item is ScriptCall => !Array.isArray(item)

/** Scripts go whole: their text is the name of their twin. */
const whole = (item: Command | ScriptCall): Command =>
  isScriptCall(item) ? ["EVAL", item.script.lua, item.keys.length, ...item.keys, ...item.args] : item

const isFailure = (reply: Reply): reply is ServerError | InexactInteger =>
  reply instanceof ServerError || reply instanceof InexactInteger

const timedOut = (command: string, milliseconds: number) =>
  new CommandTimeout({ command, milliseconds, outcome: "unknown" })

/** A reply as the outcome of the one command that got it. */
export const outcomeOf = (reply: Reply): Effect.Effect<Reply, ServerError | InexactInteger> =>
  isFailure(reply) ? Effect.fail(reply) : Effect.succeed(reply)

/** Ends a connection whose reply says that it no longer leads where it should. */
export const judge = <State, Pass, Refusal extends FatalError>(
  { served }: ConnectorMachine<State, Pass, Refusal>,
  session: Session,
  error: ServerError
): void => {
  const verdict = served(error)
  if (verdict._tag === "Redial") session.end(lost)
  if (verdict._tag === "Refuse") session.end(verdict.error)
}

/** The calls of one connector, over the connection of the moment. */
export class Calls {
  readonly #settings: Settings
  readonly #onError: (session: Session, error: ServerError) => void
  #session: Session | null = null
  #shut: Disconnected | Closed | FatalError = new Disconnected({ outcome: "not-sent" })
  readonly #stats: { -readonly [Name in keyof Stats]: number } = {
    commands: 0,
    pipelines: 0,
    transactions: 0,
    evalshaCalls: 0,
    scriptLoads: 0,
    replies: 0,
    wireErrors: 0,
    overloads: 0,
    reconnects: -1,
    pending: 0
  }

  constructor(settings: Settings, onError: (session: Session, error: ServerError) => void) {
    this.#settings = settings
    this.#onError = onError
  }

  get stats(): Stats {
    return { ...this.#stats }
  }

  /** Serves callers over a fenced connection. */
  open(session: Session): void {
    this.#session = session
    this.#stats.reconnects++
  }

  close(): void {
    this.#session = null
  }

  /** Serves nobody any more. */
  shut(reason: Closed | FatalError): void {
    if (this.#shut._tag === "Disconnected") this.#shut = reason
    this.#session?.end(reason)
    this.#session = null
  }

  readonly command = (command: Command, options?: ReplyOptions): Effect.Effect<Reply, CommandError> =>
    Effect.flatMap(this.#exchange([command], options), ([reply = null]) => outcomeOf(reply))

  readonly eval = (call: ScriptCall, options?: ReplyOptions): Effect.Effect<Reply, CommandError> =>
    Effect.flatMap(
      this.#exchange([call], options, (session) => {
        this.#stats.evalshaCalls++
        if (!session.isKnown(call.script)) this.#load(session, [call])
      }),
      ([reply = null]) => outcomeOf(reply)
    )

  readonly pipeline = (
    items: ReadonlyArray<Command | ScriptCall>,
    options?: ReplyOptions
  ): Effect.Effect<ReadonlyArray<Reply>, PipelineError> =>
    this.#exchange(items, options, (session) => {
      const calls = items.filter(isScriptCall)
      this.#stats.pipelines++
      this.#stats.evalshaCalls += calls.length
      this.#load(session, calls)
      // Only a transaction fails by an error of the server's.
    }) as Effect.Effect<ReadonlyArray<Reply>, PipelineError>

  readonly transaction = (
    items: ReadonlyArray<Command | ScriptCall>,
    options?: ReplyOptions
  ): Effect.Effect<ReadonlyArray<Reply>, TransactionError> =>
    this.#exchange(items, options, () => this.#stats.transactions++, true)

  /** Each script is loaded once over a connection, as it is over a real one. */
  #load(session: Session, calls: ReadonlyArray<ScriptCall>): void {
    for (const { script } of calls) if (session.load(script)) this.#stats.scriptLoads++
  }

  #landed(session: Session, raws: Raws): void {
    for (const raw of raws instanceof ServerError ? [raws] : raws) {
      if (!(raw instanceof ServerError)) continue
      this.#stats.wireErrors++
      this.#onError(session, raw)
    }
  }

  /** Why there is no connection to send on; nothing was sent. */
  #absent(session: Session | null): Effect.Effect<never, Disconnected | Closed | FatalError> {
    const reason = session === null ? Effect.fail(this.#shut) : session.ended
    return Effect.catchTag(reason, "Disconnected", () => Effect.fail(this.#shut))
  }

  #exchange(
    items: ReadonlyArray<Command | ScriptCall>,
    options: ReplyOptions | undefined,
    accepted: (session: Session) => void = () => {},
    atomic = false
  ): Effect.Effect<ReadonlyArray<Reply>, TransactionError> {
    return Effect.suspend((): Effect.Effect<ReadonlyArray<Reply>, TransactionError> => {
      const sent: Array<Arguments> = []
      for (const item of items) {
        const args = encode(whole(item))
        if (args instanceof CommandRefused) return Effect.fail(args)
        sent.push(args)
      }
      const session = this.#session
      const { commandTimeout, pendingLimit: limit } = this.#settings
      const { pending } = this.#stats
      if (session === null || session.isEnded) return this.#absent(session)
      if (pending + sent.length > limit) {
        this.#stats.overloads++
        return Effect.fail(new Overloaded({ pending, limit }))
      }
      if (sent.length === 0) return Effect.succeed([])
      this.#stats.commands += sent.length
      this.#stats.pending += sent.length
      accepted(session)
      return session
        .call(
          sent.map((args) => args.map(binary)),
          atomic,
          (raws) => this.#landed(session, raws)
        )
        .pipe(
          Effect.timeoutOrElse({
            duration: commandTimeout,
            orElse: () => Effect.fail(timedOut(nameOf(sent[0] ?? []), commandTimeout))
          }),
          Effect.ensuring(
            Effect.sync(() => {
              this.#stats.pending -= sent.length
            })
          ),
          Effect.flatMap((raws) => {
            if (raws instanceof ServerError) return Effect.fail(raws)
            this.#stats.replies += raws.length
            const bytes = options?.bytes === true
            return Effect.succeed(
              raws.map((raw, i) => decode(raw, { command: nameOf(sent[i] ?? []), bytes }))
            )
          })
        )
    })
  }
}
