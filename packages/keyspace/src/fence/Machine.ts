import type { ServerError } from "../CallError.ts"
import type { Reply } from "../Reply.ts"

/**
 * What a lane of the fence does next: send a command and wait in `state` for its
 * reply, run, refuse for good, or stand back because the server is not ready.
 */
export type Step<State, Pass, Refusal> =
  | { readonly _tag: "Send"; readonly command: ReadonlyArray<string>; readonly state: State }
  | { readonly _tag: "Pass"; readonly value: Pass }
  | { readonly _tag: "Refuse"; readonly error: Refusal }
  | { readonly _tag: "NotReady"; readonly error: ServerError }

/**
 * One lane of the fence as data: where it starts, and what it makes of each reply.
 *
 * It holds no connection and no clock. A connector plays it over a link, a model
 * plays every interleaving of it, and the two play the same machine. Text replies
 * may come as strings or bytes.
 */
export interface Machine<State, Pass, Refusal> {
  readonly start: Step<State, Pass, Refusal>
  readonly next: (state: State, reply: Reply) => Step<State, Pass, Refusal>
}

/** What an error reply to a caller means for the connection that got it. */
export type Served<Refusal> =
  /** Nothing: it is the caller's. */
  | { readonly _tag: "Keep" }
  /** The connection no longer leads to a node that can be written: dial again. */
  | { readonly _tag: "Redial" }
  /** The node no longer matches. */
  | { readonly _tag: "Refuse"; readonly error: Refusal }

/** The lane of a connector, which goes on to judge what its callers are answered. */
export interface ConnectorMachine<State, Pass, Refusal> extends Machine<State, Pass, Refusal> {
  readonly served: (error: ServerError) => Served<Refusal>
}

export const keep = { _tag: "Keep" } as const

/** A demoted primary refuses writes; the endpoint may lead to the new one by now (PROTOCOL.md, Reconnects). */
export const redialIfReadonly = (error: ServerError): Served<never> =>
  error.code === "READONLY" ? { _tag: "Redial" } : keep

export const send = <State>(state: State, ...command: ReadonlyArray<string>) =>
  ({ _tag: "Send", command, state }) as const

export const pass = <Pass>(value: Pass) => ({ _tag: "Pass", value }) as const

export const refuse = <Refusal>(error: Refusal) => ({ _tag: "Refuse", error }) as const

export const notReady = (error: ServerError) => ({ _tag: "NotReady", error }) as const
