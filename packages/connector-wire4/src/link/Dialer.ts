import type { ConnectFailed } from "@echomq/keyspace"
import { Context, type Effect, type Scope } from "effect"
import { dial } from "./glide/Dial.ts"
import type { Link } from "./Link.ts"
import type { Target } from "./Target.ts"

/**
 * Makes links; the scope closes them. GLIDE's is the default, and another driver is
 * another value of this reference.
 */
export const Dialer = Context.Reference<{
  readonly dial: (target: Target) => Effect.Effect<Link, ConnectFailed, Scope.Scope>
}>("@echomq/connector-wire4/Dialer", { defaultValue: () => ({ dial }) })
