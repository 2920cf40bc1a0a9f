import { Context, type Effect, type Stream } from "effect"
import type {
  Closed,
  CommandRefused,
  CommandTimeout,
  Disconnected,
  InexactInteger,
  Overloaded,
  ServerError
} from "./CallError.ts"
import type { FatalError } from "./FatalError.ts"
import type { Command, Reply } from "./Reply.ts"
import type { Stats } from "./Stats.ts"
import type { Status } from "./Status.ts"
import type { Wire } from "./Wire.ts"

/** How a pipeline fails as a whole. An error reply to one of its commands is a value in its place. */
export type PipelineError = Disconnected | CommandRefused | Overloaded | CommandTimeout | Closed | FatalError

/** How a transaction fails as a whole: as a pipeline, or because the server discarded it. */
export type TransactionError = PipelineError | ServerError

/** How a single command fails. */
export type CommandError = TransactionError | InexactInteger

export interface ReplyOptions {
  /** Hand every string of the reply over as a `Uint8Array`, undecoded. Default: `false`. */
  readonly bytes?: boolean
}

/**
 * A connection to one node, fenced before it serves anyone and again after every
 * reconnect. It is shared by all callers: commands that would change or block it
 * are refused.
 *
 * Nothing is retried and nothing queues while there is no connection: a call then
 * fails at once with `Disconnected`, `not-sent`. What was in flight when a
 * connection was lost fails with `Disconnected`, `unknown`.
 *
 * @example
 * ```ts
 * import { Connector } from "@echomq/keyspace"
 * import { Effect } from "effect"
 *
 * const greet = Effect.gen(function* () {
 *   const connector = yield* Connector
 *   yield* connector.command(["SET", "greeting", "hello"])
 *   return yield* connector.command(["GET", "greeting"])
 * })
 * ```
 */
export class Connector extends Context.Service<
  Connector,
  {
    /** The wire that the node was checked for. */
    readonly wire: Wire
    /** Sends one command. An error reply fails with `ServerError`. */
    readonly command: (command: Command, options?: ReplyOptions) => Effect.Effect<Reply, CommandError>
    /** Sends commands together and gives their replies in order; others' commands may run between them. */
    readonly pipeline: (
      commands: ReadonlyArray<Command>,
      options?: ReplyOptions
    ) => Effect.Effect<ReadonlyArray<Reply>, PipelineError>
    /** Runs commands as one `MULTI`/`EXEC`; an error that the server meets while it runs them is a value in its place. */
    readonly transaction: (
      commands: ReadonlyArray<Command>,
      options?: ReplyOptions
    ) => Effect.Effect<ReadonlyArray<Reply>, TransactionError>
    /** Where the connector stands now. */
    readonly status: Effect.Effect<Status>
    /** Where it stands now, and each change from then on; ends after a final state. */
    readonly changes: Stream.Stream<Status>
    /** Never succeeds: fails with the fatal error that stopped the connector, or with `Closed`. */
    readonly stopped: Effect.Effect<never, FatalError | Closed>
    readonly stats: Effect.Effect<Stats>
  }
>()("@echomq/keyspace/Connector") {}
