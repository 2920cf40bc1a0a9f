import { Decoder } from "@valkey/valkey-glide"
import { Effect } from "effect"
import { batched } from "../clients/Batched.ts"
import type { Client } from "../clients/Client.ts"
import { ofPromises } from "../clients/ofPromises.ts"
import { fleet } from "../fleet.ts"
import { interleaved, paceOf } from "../measure.ts"
import { plainNode } from "../Node.ts"
import { short, spread, whole } from "../report/numbers.ts"
import type { Section } from "../Section.ts"
import { median, ratio } from "../statistics.ts"
import { COUNTER, largeKey, SHA, smallKey, VALUE, type Work } from "../Work.ts"

const works: ReadonlyArray<Work> = ["SET", "GET"]
const crowds = [1, 10, 50, 200, 1_000]

const bare = (call: (args: Array<string>) => Promise<unknown>): Client =>
  ofPromises({
    SET: (i) => call(["SET", smallKey(i), VALUE]),
    GET: (i) => call(["GET", smallKey(i)]),
    "GET 1 KB": (i) => call(["GET", largeKey(i)]),
    EVALSHA: () => call(["EVALSHA", SHA, "1", COUNTER, "1"])
  })

/** What of the connector's distance to a client in JavaScript is the driver's, and what its own and Effect's. */
export const ceiling: Section = Effect.fnUntraced(function* (plan) {
  const node = yield* plainNode
  const { connector, iovalkey } = yield* fleet(node.port, plan.warmMillis, ["connector", "iovalkey"])
  const clients: Record<string, Client> = {
    iovalkey,
    connector,
    "GLIDE, batched": bare(yield* batched(node.port, Decoder.Bytes)),
    "the same, text by GLIDE": bare(yield* batched(node.port, Decoder.String))
  }
  const names = Object.keys(clients)
  const rows: Array<ReadonlyArray<string>> = []
  for (const work of works) {
    for (const callers of crowds) {
      console.error(`ceiling: ${work}, ${callers} callers`)
      const paces = yield* interleaved(names, plan.rounds, (name) =>
        paceOf(clients[name] ?? connector, work, callers, plan.roundMillis)
      )
      const rates = (name: string) => (paces[name] ?? []).map(({ rate }) => rate)
      rows.push([
        work,
        whole(callers),
        short(median(rates("iovalkey"))),
        ...names.slice(1).map((name) => spread(ratio(rates(name), rates("iovalkey"))))
      ])
    }
  }
  return {
    title: "Ceiling",
    tables: [
      {
        title: "Calls a second: iovalkey, and ratios to it",
        head: ["work", "callers", ...names],
        rows
      }
    ],
    targets: [],
    panels: []
  }
})
