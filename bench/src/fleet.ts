import { Effect, type Scope } from "effect"
import type { Client } from "./clients/Client.ts"
import { type Kind, kinds, load } from "./clients/kinds.ts"
import { paceOf } from "./measure.ts"
import { isRight, type Work } from "./Work.ts"

const works = Object.keys(isRight) as ReadonlyArray<Work>

/** A client that answers wrongly must not be measured. */
const check = (kind: Kind, client: Client) =>
  Effect.forEach(works, (work) =>
    Effect.promise(async () => {
      const reply = await client.once(work)
      if (!isRight[work](reply)) throw new Error(`${kind} got ${String(reply)} for ${work}`)
    })
  )

/** One client of each kind, connected to the server on a port. */
export const fleet = (
  port: number,
  warmMillis = 0,
  which: ReadonlyArray<Kind> = kinds
): Effect.Effect<Readonly<Record<Kind, Client>>, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const clients: Partial<Record<Kind, Client>> = {}
    for (const kind of which) {
      const open = yield* Effect.promise(() => load(kind))
      const client = yield* open(port)
      yield* check(kind, client)
      if (warmMillis > 0) yield* Effect.promise(() => paceOf(client, "SET", 200, warmMillis))
      clients[kind] = client
    }
    return clients as Record<Kind, Client>
  })
