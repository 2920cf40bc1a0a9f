import { Effect } from "effect"
import type { Answer } from "../child/jobs.ts"
import { inChild } from "../child/run.ts"
import { kinds } from "../clients/kinds.ts"
import { plainNode } from "../Node.ts"
import { whole as count, short } from "../report/numbers.ts"
import type { Section, Target } from "../Section.ts"

const megabytes = (bytes: number | undefined) => short((bytes ?? Number.NaN) / 1_048_576)
const kilobytes = (bytes: number | undefined) => short((bytes ?? Number.NaN) / 1_024)

/** A kilobyte is the bound. */
const below = (what: string, bytes: number): Target => ({
  what,
  bound: "< 1 KB",
  reached: `${kilobytes(bytes)} KB`,
  met: bytes < 1_024
})

const each = <Name extends string, E>(
  names: ReadonlyArray<Name>,
  one: (name: Name) => Effect.Effect<Answer, E>
) =>
  Effect.map(
    Effect.forEach(names, (name) => Effect.map(one(name), (answer) => [name, answer] as const)),
    (entries) => Object.fromEntries(entries) as Record<Name, Answer>
  )

/** Memory, each client in a process of its own. */
export const memory: Section = Effect.fnUntraced(function* (plan) {
  const { port } = yield* plainNode
  console.error("memory: busy")
  const busy = yield* each(kinds, (kind) =>
    inChild({ job: "busy", kind, port, millis: plan.latencyMillis * 2 })
  )
  console.error(`memory: ${plan.waiting} calls waiting`)
  const waiters = ["fiber", ...kinds] as const
  const waiting = yield* each(waiters, (kind) => inChild({ job: "waiting", kind, port, count: plan.waiting }))
  const heap = waiting.connector.heap ?? Number.NaN
  return {
    title: "Memory",
    tables: [
      {
        title: "Resident memory of a process that has one client, in MB",
        head: ["client", "connected", "after SET at 1,000 callers", "after its garbage is collected", "most"],
        rows: kinds.map((kind) => [
          kind,
          megabytes(busy[kind].before),
          megabytes(busy[kind].busy),
          megabytes(busy[kind].after),
          megabytes(busy[kind].most)
        ])
      },
      {
        title: `A waiting call (${count(plan.waiting)} SETs at a server that answers nothing), in KB`,
        head: ["client", "JavaScript heap", "resident"],
        rows: waiters.map((kind) => [
          kind === "fiber" ? "(a fiber that waits for nothing)" : kind,
          kilobytes(waiting[kind].heap),
          kilobytes(waiting[kind].resident)
        ])
      }
    ],
    targets: [
      below(
        "memory per waiting call: JavaScript heap, its caller's fiber apart",
        heap - (waiting.fiber.heap ?? 0)
      ),
      below("memory per waiting call: JavaScript heap, its caller's fiber included", heap),
      below(
        "memory per waiting call: resident, fiber and driver included",
        waiting.connector.resident ?? Number.NaN
      )
    ],
    panels: []
  }
})
