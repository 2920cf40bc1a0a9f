import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import type { Answer, Job } from "./jobs.ts"

const program = fileURLToPath(new URL("./main.ts", import.meta.url))

/** Has a process of its own measure something; it ends with this one. */
export const inChild = (job: Job): Effect.Effect<Answer, Error> =>
  Effect.callback((resume) => {
    const child = fork(program, [JSON.stringify(job)], { execArgv: ["--expose-gc"] })
    child.once("message", (answer) => resume(Effect.succeed(answer as Answer)))
    child.once("exit", (code) => resume(Effect.fail(new Error(`${JSON.stringify(job)} ended with ${code}`))))
    return Effect.sync(() => child.kill("SIGKILL"))
  })
