import { Effect } from "effect"
import { inChild } from "../child/run.ts"
import { kinds } from "../clients/kinds.ts"
import { plainNode } from "../Node.ts"
import { short, whole } from "../report/numbers.ts"
import type { Section } from "../Section.ts"

/** A thousand clients of one kind, connected at once and then idle, each kind in a process of its own. */
export const many: Section = Effect.fnUntraced(function* (plan) {
  const { port } = yield* plainNode
  const rows = yield* Effect.forEach(
    kinds,
    Effect.fnUntraced(function* (kind) {
      console.error(`many: ${plan.atOnce} × ${kind}`)
      const { cpuShare, heap, millis, resident } = yield* inChild({
        job: "idle",
        kind,
        port,
        count: plan.atOnce
      })
      return [
        kind,
        short(millis ?? Number.NaN),
        short((resident ?? Number.NaN) / 1_024),
        short((heap ?? Number.NaN) / 1_024),
        `${short((cpuShare ?? Number.NaN) * 100)} %`
      ]
    })
  )
  return {
    title: "A thousand at once",
    tables: [
      {
        title: `${whole(plan.atOnce)} clients connected at once, then idle`,
        head: [
          "client",
          "all serve after, ms",
          "resident each, KB",
          "JavaScript heap each, KB",
          "of a processor, all idle"
        ],
        rows
      }
    ],
    targets: [],
    panels: []
  }
})
