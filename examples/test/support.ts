import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { TestNode } from "@echomq/test-node"
import { Effect, type Scope } from "effect"

type Environment = Readonly<Record<string, string>>

/** An example that runs in a process of its own. */
export interface Running {
  /** Everything it has printed so far. */
  readonly printed: () => string
  /** Waits until it has printed this. */
  readonly prints: (text: string) => Effect.Effect<void>
  readonly terminate: Effect.Effect<void>
  /** Its exit status, once all it printed is there. */
  readonly status: Effect.Effect<number | null>
}

/** Where a node is, as the environment names it. */
export const at = ({ host, port }: TestNode["Service"]): Environment => ({
  EMQ_HOST: host,
  EMQ_PORT: String(port)
})

const poll = (done: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (done() ? Effect.void : Effect.andThen(Effect.sleep("10 millis"), poll(done))))

/** Starts an example with nothing of this process's environment but the path. It ends with the scope. */
export const start = Effect.fnUntraced(function* (
  name: string,
  environment: Environment
): Effect.fn.Return<Running, never, Scope.Scope> {
  const path = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url))
  let output = ""
  let ended: { readonly status: number | null } | undefined
  const child = yield* Effect.acquireRelease(
    Effect.sync((): ChildProcess => {
      const child = spawn(process.execPath, [path], {
        env: { PATH: process.env.PATH ?? "", ...environment },
        stdio: ["ignore", "pipe", "pipe"]
      })
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk) => {
          output += chunk
        })
      }
      child.once("close", (status) => {
        ended = { status }
      })
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  return {
    printed: () => output,
    prints: (text) =>
      poll(() => output.includes(text) || ended !== undefined).pipe(
        Effect.andThen(
          Effect.suspend(() =>
            output.includes(text)
              ? Effect.void
              : Effect.die(new Error(`${name} ended without printing "${text}":\n${output}`))
          )
        )
      ),
    terminate: Effect.sync(() => void child.kill("SIGTERM")),
    status: Effect.map(
      poll(() => ended !== undefined),
      () => ended?.status ?? null
    )
  }
})
