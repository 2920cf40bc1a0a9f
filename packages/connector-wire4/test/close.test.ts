import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"

it.live("a connector that is closed answers all that wait at once, and its process ends by itself", () =>
  Effect.gen(function* () {
    const path = fileURLToPath(new URL("support/closes.ts", import.meta.url))
    const { code, output } = yield* Effect.callback<{ readonly code: unknown; readonly output: string }>(
      (resume) => {
        const child = execFile(process.execPath, [path], { timeout: 30_000 }, (error, stdout) =>
          resume(Effect.succeed({ code: error === null ? 0 : (error.code ?? error.signal), output: stdout }))
        )
        return Effect.sync(() => child.kill("SIGKILL"))
      }
    )
    const said = Array.from(output.matchAll(/^= (.*)$/gm), ([, line]) => line)
    expect(said.slice(0, 3)).toEqual(["opens", "closed at once", "0 sockets left"])
    // A hundred calls are the limit; the others were refused before.
    expect(JSON.parse(said[3] ?? "")).toEqual({ Closed: 103, Overloaded: 100 })
    expect(code).toBe(0)
  })
)
