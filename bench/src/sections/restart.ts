import { Effect } from "effect"
import type { Client } from "../clients/Client.ts"
import { kinds } from "../clients/kinds.ts"
import { fleet } from "../fleet.ts"
import { plainNode } from "../Node.ts"
import { short } from "../report/numbers.ts"
import type { Section } from "../Section.ts"
import { median } from "../statistics.ts"

/** How long the server is gone. */
const OUTAGE_MILLIS = 500

/** Calls until one succeeds; when that was. A caller whom the client keeps waiting waits. */
const served = async (client: Client): Promise<number> => {
  for (;;) {
    try {
      await client.once("SET")
      return performance.now()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
}

/** How long after a server is back each client serves again. All of them live through the same restarts. */
export const restart: Section = Effect.fnUntraced(function* (plan) {
  const node = yield* plainNode
  const clients = yield* fleet(node.port)
  const times = kinds.map(() => [] as Array<number>)
  for (let i = 0; i < plan.restarts; i++) {
    console.error(`restart ${i + 1} of ${plan.restarts}`)
    yield* node.kill
    yield* Effect.sleep(OUTAGE_MILLIS)
    const ends = kinds.map((kind) => served(clients[kind]))
    yield* node.restart
    const back = performance.now()
    for (const [k, end] of ends.entries())
      times[k]?.push(Math.max(0, (yield* Effect.promise(() => end)) - back))
    yield* Effect.sleep(200)
  }
  return {
    title: "After a restart",
    tables: [
      {
        title: `From the server's return to the first call served, in ms (${plan.restarts} restarts, server gone for ${OUTAGE_MILLIS} ms and more)`,
        head: ["client", "median", "least", "most"],
        rows: kinds.map((kind, k) => {
          const values = times[k] ?? []
          return [kind, short(median(values)), short(Math.min(...values)), short(Math.max(...values))]
        })
      }
    ],
    targets: [],
    panels: []
  }
})
