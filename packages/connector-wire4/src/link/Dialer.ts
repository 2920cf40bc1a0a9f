import type { ConnectFailed, Message } from "@echomq/keyspace"
import { Context, type Effect, type Redacted, type Scope } from "effect"
import { dial } from "./glide/Dial.ts"
import { subscribe } from "./glide/Subscribe.ts"
import type { Link } from "./Link.ts"
import type { Target } from "./Target.ts"

/** What a subscriber listens to, and as whom. */
export interface Subscription {
  readonly mode: "channels" | "patterns"
  readonly names: ReadonlyArray<string>
  readonly credentials: { readonly username?: string; readonly password: Redacted.Redacted<string> } | null
  readonly onMessage: (message: Message) => void
}

/**
 * Makes links, and the connections of subscribers; the scope closes them. GLIDE's are the
 * default, and another driver is another value of this reference.
 */
export const Dialer = Context.Reference<{
  readonly dial: (target: Target) => Effect.Effect<Link, ConnectFailed, Scope.Scope>
  /** Writes nothing, so it may reconnect and subscribe again by itself. */
  readonly subscribe: (
    target: Target,
    subscription: Subscription
  ) => Effect.Effect<void, ConnectFailed, Scope.Scope>
}>("@echomq/connector-wire4/Dialer", { defaultValue: () => ({ dial, subscribe }) })
