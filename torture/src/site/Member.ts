import { ConnectorWire4 } from "@echomq/connector-wire4"
import type { Options } from "@echomq/connector-wire4/link"
import { ConnectorWire6 } from "@echomq/connector-wire6"
import type { Connector, Wire } from "@echomq/keyspace"
import { Effect, Exit, Scope } from "effect"
import { Ledger } from "../ledger/Ledger.ts"

/** A connector of a site, with what its callers know of their writes. */
export interface Member {
  readonly name: string
  readonly connector: Connector["Service"]
  readonly close: Effect.Effect<void>
  ledger: Ledger
  /** Why it serves nobody any more, once a caller was told. */
  over: string | null
  /** Whether its end was due, and has been accounted for. */
  dismissed: boolean
}

const open = (wire: Wire, options: Options) =>
  wire === 4 ? ConnectorWire4.make(options) : ConnectorWire6.make(options)

export const member = Effect.fnUntraced(function* (name: string, wire: Wire, options: Options) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const connector = yield* Scope.provide(open(wire, options), scope)
  return {
    name,
    connector,
    close: Scope.close(scope, Exit.void),
    ledger: new Ledger(name),
    over: null,
    dismissed: false
  } as Member
})
