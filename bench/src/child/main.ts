import { Effect, type Scope } from "effect"
import { busy } from "./busy.ts"
import { idle } from "./idle.ts"
import type { Answer, Job } from "./jobs.ts"
import { waiting } from "./waiting.ts"

const job = JSON.parse(process.argv[2] ?? "") as Job

// The parent that asked is gone: nobody wants the answer.
process.once("disconnect", () => process.exit(1))

const measure = (job: Job): Effect.Effect<Answer, unknown, Scope.Scope> => {
  switch (job.job) {
    case "idle":
      return idle(job)
    case "busy":
      return busy(job)
    case "waiting":
      return waiting(job)
  }
}

const answer = await Effect.runPromise(Effect.scoped(measure(job)))
process.send?.(answer, () => process.exit(0))
