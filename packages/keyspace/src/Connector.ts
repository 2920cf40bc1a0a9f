import { Config, Context, Effect, Layer, type Schema, type Scope, type Stream } from "effect"
import type {
  CapabilityAbsent,
  Closed,
  CommandRefused,
  CommandTimeout,
  ConnectFailed,
  Disconnected,
  InexactInteger,
  Overloaded,
  ServerError
} from "./CallError.ts"
import type { FatalError } from "./FatalError.ts"
import type { Command, Part, Reply } from "./Reply.ts"
import type { Script } from "./Script.ts"
import type { Stats } from "./Stats.ts"
import type { Status } from "./Status.ts"
import type { Transition } from "./Transition.ts"
import { DEFAULT_WIRE, type Wire } from "./Wire.ts"

const wire = Config.Literals(["4", "6"], "EMQ_WIRE").pipe(
  Config.map((name): Wire => (name === "4" ? 4 : 6)),
  Config.withDefault(DEFAULT_WIRE)
)

/** How a pipeline fails as a whole. An error reply to one of its commands is a value in its place. */
export type PipelineError = Disconnected | CommandRefused | Overloaded | CommandTimeout | Closed | FatalError

/** How a transaction fails as a whole: as a pipeline, or because the server discarded it. */
export type TransactionError = PipelineError | ServerError

/** How a single command fails. */
export type CommandError = TransactionError | InexactInteger

/** How a transition fails: as a command, or because its arguments, its reply or the node's module do not fit it. */
export type TransitionError = CommandError | CapabilityAbsent | Schema.SchemaError

/** A script's place in a pipeline or a transaction. */
export interface ScriptCall {
  readonly script: Script
  readonly keys: ReadonlyArray<Part>
  readonly args: ReadonlyArray<Part>
}

/**
 * A connection for one caller at a time, fenced like the shared one. It may block; what
 * would change its state is refused here too. One that was lost is dialled again, fenced,
 * by the next command.
 */
export interface Lane {
  /**
   * Sends one command and waits as long as it blocks, a day at most. Interrupting it gives the connection
   * up, so that the server forgets the command too; whether it had an effect is unknown.
   */
  readonly command: (
    command: Command,
    options?: ReplyOptions
  ) => Effect.Effect<Reply, CommandError | ConnectFailed>
}

/** What was published: text, or bytes that are no text. `pattern` is the one that matched, if any. */
export interface Message {
  readonly channel: string | Uint8Array
  readonly pattern: string | Uint8Array | null
  readonly message: string | Uint8Array
}

/** How a subscription ends: where the node cannot be had or is refused, where the user may not listen, and with the connector. */
export type SubscribeError = ConnectFailed | FatalError | ServerError | Closed

export interface SubscribeOptions {
  /** How many messages may wait for a slow consumer; when it is full the oldest are dropped. Default: 1,024. */
  readonly buffer?: number
  /** Runs once the node has the subscription, so that what is published from then on is heard. */
  readonly onSubscribed?: Effect.Effect<void>
}

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
      commands: ReadonlyArray<Command | ScriptCall>,
      options?: ReplyOptions
    ) => Effect.Effect<ReadonlyArray<Reply>, PipelineError>
    /** Runs commands as one `MULTI`/`EXEC`; an error that the server meets while it runs them is a value in its place. */
    readonly transaction: (
      commands: ReadonlyArray<Command | ScriptCall>,
      options?: ReplyOptions
    ) => Effect.Effect<ReadonlyArray<Reply>, TransactionError>
    /** Runs a script by its digest; where the server does not know it, it is loaded once for the connection. */
    readonly eval: (
      script: Script,
      keys: ReadonlyArray<Part>,
      args: ReadonlyArray<Part>,
      options?: ReplyOptions
    ) => Effect.Effect<Reply, CommandError>
    /** Runs a transition on the executor of this wire. */
    readonly run: <Args, Result>(
      transition: Transition<Args, Result>,
      keys: ReadonlyArray<Part>,
      args: Args
    ) => Effect.Effect<Result, TransitionError>
    /** A dedicated connection for commands that block, for the lifetime of the scope. */
    readonly lane: Effect.Effect<Lane, ConnectFailed | FatalError | Closed, Scope.Scope>
    /**
     * Messages of channels, from a connection of their own that is made once the node has
     * passed the fence. It subscribes again by itself after a loss: what was published in
     * between is missed. It ends when the connector stops.
     */
    readonly subscribe: (
      channels: ReadonlyArray<string>,
      options?: SubscribeOptions
    ) => Stream.Stream<Message, SubscribeError>
    /** The same of channels whose names match patterns. */
    readonly psubscribe: (
      patterns: ReadonlyArray<string>,
      options?: SubscribeOptions
    ) => Stream.Stream<Message, SubscribeError>
    /** Where the connector stands now. */
    readonly status: Effect.Effect<Status>
    /** Where it stands now, and each change from then on; ends after a final state. */
    readonly changes: Stream.Stream<Status>
    /** Never succeeds: fails with the fatal error that stopped the connector, or with `Closed`. */
    readonly stopped: Effect.Effect<never, FatalError | Closed>
    readonly stats: Effect.Effect<Stats>
  }
>()("@echomq/keyspace/Connector") {
  /**
   * The connector of the wire that `EMQ_WIRE` names: `4` or `6`, by default 4. Only the layer
   * chosen is built; any other value is a `ConfigError` that lists these.
   *
   * @example
   * ```ts
   * import { ConnectorWire4 } from "@echomq/connector-wire4"
   * import { ConnectorWire6 } from "@echomq/connector-wire6"
   * import { Connector } from "@echomq/keyspace"
   *
   * const live = Connector.layerByWire({
   *   4: ConnectorWire4.layerConfig(),
   *   6: ConnectorWire6.layerConfig()
   * })
   * ```
   */
  static layerByWire<E4, R4, E6, R6>(layers: {
    readonly 4: Layer.Layer<Connector, E4, R4>
    readonly 6: Layer.Layer<Connector, E6, R6>
  }): Layer.Layer<Connector, E4 | E6 | Config.ConfigError, R4 | R6> {
    return Layer.unwrap(Effect.map(wire, (wire): Layer.Layer<Connector, E4 | E6, R4 | R6> => layers[wire]))
  }
}
