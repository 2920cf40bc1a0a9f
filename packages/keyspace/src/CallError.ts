import { Schema } from "effect"

/**
 * What became of a call that was cut off: `not-sent` never left this process and
 * is safe to retry; `unknown` may or may not have been executed, and is never
 * replayed by the connector.
 */
export const Outcome = Schema.Literals(["not-sent", "unknown"])
export type Outcome = typeof Outcome.Type

/** Why a connection could not be had. None of these is final: the next attempt may succeed. */
export const ConnectFailure = Schema.Literals([
  "refused",
  "unknown-host",
  "unreachable",
  "timeout",
  "tls",
  "closed",
  "not-ready",
  "options"
])
export type ConnectFailure = typeof ConnectFailure.Type

const meaning: Record<ConnectFailure, string> = {
  refused: "the connection was refused",
  "unknown-host": "the host is unknown",
  unreachable: "the host cannot be reached",
  timeout: "no answer within the connect time-out",
  tls: "the TLS handshake failed",
  closed: "the connection was lost before it was fenced",
  "not-ready": "the server is not ready",
  options: "the options cannot be used"
}

/**
 * A connection was not established. Retryable: the server did not answer, or
 * answered with something that changes by waiting (`not-ready`). The exception is
 * `options`, which says that nothing was tried because an option is invalid.
 */
export class ConnectFailed extends Schema.TaggedError<ConnectFailed>()("ConnectFailed", {
  address: Schema.String,
  reason: ConnectFailure,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.address}: ${meaning[this.reason]}${this.detail === "" ? "" : ` (${this.detail})`}`
  }
}

/** The connection was lost, or was not there. `outcome` says whether the call is safe to retry. */
export class Disconnected extends Schema.TaggedError<Disconnected>()("Disconnected", {
  outcome: Outcome
}) {
  override get message(): string {
    return this.outcome === "not-sent"
      ? "not connected: the command was not sent"
      : "the connection was lost: whether the command was executed is unknown"
  }
}

/** A command that must not be sent over a connection that callers share. Nothing was sent. */
export class CommandRefused extends Schema.TaggedError<CommandRefused>()("CommandRefused", {
  command: Schema.String,
  why: Schema.String,
  instead: Schema.String
}) {
  override get message(): string {
    return `${this.command} was not sent: ${this.why}; ${this.instead}`
  }
}

/** As many calls as `pendingLimit` allows are waiting for their replies. Nothing was sent. */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", {
  pending: Schema.Number,
  limit: Schema.Number
}) {
  override get message(): string {
    return `${this.pending} calls are waiting, and the limit is ${this.limit}`
  }
}

/** No reply within the command time-out. The command may yet be executed. */
export class CommandTimeout extends Schema.TaggedError<CommandTimeout>()("CommandTimeout", {
  command: Schema.String,
  milliseconds: Schema.Number,
  outcome: Schema.tag("unknown")
}) {
  override get message(): string {
    return `${this.command} got no reply in ${this.milliseconds} ms: whether it was executed is unknown`
  }
}

/** An error reply. `message` is what the server said, word for word; `code` is its first word. */
export class ServerError extends Schema.TaggedError<ServerError>()("ServerError", {
  code: Schema.String,
  message: Schema.String
}) {
  /** The error whose line is `message`, such as `WRONGTYPE Operation against …`. */
  static of(message: string): ServerError {
    const space = message.indexOf(" ")
    return new ServerError({ code: space === -1 ? message : message.slice(0, space), message })
  }
}

/**
 * An integer reply beyond ±(2^53 − 1), which the driver hands over rounded. The
 * command was executed; the exact number is on the server, as text in the key.
 */
export class InexactInteger extends Schema.TaggedError<InexactInteger>()("InexactInteger", {
  command: Schema.String,
  near: Schema.Number
}) {
  override get message(): string {
    return `${this.command} was executed, but its integer reply (near ${this.near}) is too large to be exact: read the value as text`
  }
}

/** The node's module does not list what the transition needs. Nothing was sent. */
export class CapabilityAbsent extends Schema.TaggedError<CapabilityAbsent>()("CapabilityAbsent", {
  transition: Schema.String,
  capability: Schema.String
}) {
  override get message(): string {
    return `${this.transition} was not sent: the node's module does not list ${this.capability}`
  }
}

/** The connector was closed by its scope. */
export class Closed extends Schema.TaggedError<Closed>()("Closed", {}) {
  override get message(): string {
    return "the connector is closed"
  }
}

/** Everything that can befall one call, apart from the fatal error that stopped the connector. */
export const CallError = Schema.Union([
  Disconnected,
  CommandRefused,
  Overloaded,
  CommandTimeout,
  ServerError,
  InexactInteger,
  CapabilityAbsent,
  Closed
])
export type CallError = typeof CallError.Type
