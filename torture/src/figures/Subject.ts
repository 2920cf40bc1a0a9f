import type { Effect, Scope } from "effect"
import type { Address } from "../proxy/index.ts"

/** A client, as far as the figures ask about it. */
export interface Client {
  /** Waits until it notices that it has no connection, from now on. */
  readonly lost: Effect.Effect<void>
  /** One write. Whether it was answered, rather than failed. */
  readonly call: Effect.Effect<boolean>
}

export interface Subject {
  readonly name: string
  readonly open: (address: Address) => Effect.Effect<Client, never, Scope.Scope>
}
