import { ConnectorWire4 } from "@echomq/connector-wire4"
import { GlideClient } from "@valkey/valkey-glide"
import { Effect, type Scope, Stream } from "effect"

export interface Address {
  readonly host: string
  readonly port: number
}

/** The key that is written. */
export const COUNTER = "written"

/** A client that writes. */
export interface Writer {
  /** Counts one up, and answers the count, or fails with the name of the error. */
  readonly write: Effect.Effect<number, string>
  /** What it says of itself, where it does. */
  readonly changes: Stream.Stream<string>
}

export type Open = (address: Address) => Effect.Effect<Writer, unknown, Scope.Scope>

/** GLIDE as it comes. */
export const glide: Open = ({ host, port }) =>
  Effect.acquireRelease(
    Effect.promise(() => GlideClient.createClient({ addresses: [{ host, port }] })),
    (client) => Effect.sync(() => client.close())
  ).pipe(
    Effect.map((client) => ({
      write: Effect.tryPromise({
        try: () => client.incr(COUNTER),
        catch: (error) => (error instanceof Error ? error.name : String(error))
      }),
      changes: Stream.empty
    }))
  )

/** The connector, whose link is one pinned GLIDE client for each connection. */
export const connector: Open = (address) =>
  Effect.map(ConnectorWire4.make(address), ({ changes, command }) => ({
    write: Effect.mapBoth(command(["INCR", COUNTER]), {
      onSuccess: Number,
      onFailure: (error) => (error._tag === "Disconnected" ? `${error._tag}, ${error.outcome}` : error._tag)
    }),
    changes: Stream.map(changes, ({ _tag }) => _tag)
  }))
