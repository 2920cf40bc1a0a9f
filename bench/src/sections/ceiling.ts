import { Effect } from "effect"
import { batched } from "../clients/Batched.ts"
import type { Client } from "../clients/Client.ts"
import { ofEffects } from "../clients/ofEffects.ts"
import { ofPromises } from "../clients/ofPromises.ts"
import { fleet } from "../fleet.ts"
import { interleaved, paceOf } from "../measure.ts"
import { plainNode } from "../Node.ts"
import { short, spread, whole } from "../report/numbers.ts"
import type { Section } from "../Section.ts"
import { median, ratio } from "../statistics.ts"
import { COUNTER, largeKey, SHA, smallKey, VALUE } from "../Work.ts"

const crowds = [1, 10, 50, 200, 1_000]

const works = <A>(call: (args: Array<string>) => A) => ({
  SET: (i: number) => call(["SET", smallKey(i), VALUE]),
  GET: (i: number) => call(["GET", smallKey(i)]),
  "GET 1 KB": (i: number) => call(["GET", largeKey(i)]),
  EVALSHA: () => call(["EVALSHA", SHA, "1", COUNTER, "1"])
})

/** What of the connector's distance to a client in JavaScript is whose: the driver's, Effect's or its own. */
export const ceiling: Section = Effect.fnUntraced(function* (plan) {
  const node = yield* plainNode
  const { connector, iovalkey } = yield* fleet(node.port, plan.warmMillis, ["connector", "iovalkey"])
  const call = yield* batched(node.port)
  const clients: Record<string, Client> = {
    iovalkey,
    "GLIDE, batched": ofPromises(works(call)),
    "the same, from fibers": ofEffects(
      works((args) =>
        Effect.callback<unknown, unknown>((resume) => {
          call(args).then(
            (reply) => resume(Effect.succeed(reply)),
            (error) => resume(Effect.fail(error))
          )
        })
      )
    ),
    connector
  }
  const names = Object.keys(clients)
  const rows: Array<ReadonlyArray<string>> = []
  for (const callers of crowds) {
    console.error(`ceiling: ${callers} callers`)
    const paces = yield* interleaved(names, plan.rounds, (name) =>
      paceOf(clients[name] ?? connector, "SET", callers, plan.roundMillis)
    )
    const rates = (name: string) => (paces[name] ?? []).map(({ rate }) => rate)
    rows.push([
      whole(callers),
      short(median(rates("iovalkey"))),
      ...names.slice(1).map((name) => spread(ratio(rates(name), rates("iovalkey"))))
    ])
  }
  return {
    title: "Ceiling",
    tables: [
      {
        title: "SET, calls a second: iovalkey, and ratios to it",
        head: ["callers", ...names],
        rows
      }
    ],
    targets: [],
    panels: []
  }
})
