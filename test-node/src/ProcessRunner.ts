import { type ChildProcess, spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { Effect } from "effect"
import { atExit } from "./atExit.ts"
import { NodeError } from "./NodeError.ts"
import { printed } from "./printed.ts"
import type { Runner, Running } from "./Runner.ts"

/**
 * Runs servers as children of this process. They die with it: `setpriv`, where there is one (Linux), has the
 * kernel kill the server when its parent is gone, however that came about; elsewhere an exit hook does it.
 */
export const runner: Runner = {
  start: (args, directory) =>
    Effect.acquireRelease(spawnServer(args, directory), (child) => stop(child)).pipe(Effect.map(running))
}

const missing = new NodeError({
  reason: "missing",
  message: [
    "valkey-server is not on PATH. `npm run setup` installs it on Debian 12; otherwise:",
    "  Debian, Ubuntu  apt-get install valkey-server (Debian 12: from bookworm-backports)",
    "  Fedora          dnf install valkey",
    "  macOS           brew install valkey"
  ].join("\n"),
  log: []
})

interface Server {
  readonly process: ChildProcess
  readonly log: Array<string>
  readonly gone: Promise<void>
}

const spawnServer = Effect.fnUntraced(function* (args: ReadonlyArray<string>, directory: string) {
  const binary = onPath("valkey-server")
  if (binary === undefined) return yield* missing
  const setpriv = process.platform === "linux" ? onPath("setpriv") : undefined
  const command = setpriv === undefined ? [binary] : [setpriv, "--pdeathsig", "KILL", binary]
  return yield* Effect.callback<Server, NodeError>((resume) => {
    const child = spawn(command[0] as string, [...command.slice(1), ...args], {
      cwd: directory,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const log = printed(child.stdout, child.stderr)
    const forget = atExit(() => child.kill("SIGKILL"))
    const gone = new Promise<void>((resolve) => child.once("close", () => resolve(forget())))
    child.once("spawn", () => resume(Effect.succeed({ process: child, log, gone })))
    child.once("error", (cause) => {
      forget()
      resume(new NodeError({ reason: "start", message: `${binary}: ${cause.message}`, log }))
    })
  })
})

const stop = (server: Server) =>
  Effect.promise(() => {
    server.process.kill("SIGKILL")
    return server.gone
  })

const running = (server: Server): Running => ({
  exited: Effect.promise(() => server.gone),
  signal: (signal) =>
    signal === "SIGKILL" ? stop(server) : Effect.sync(() => void server.process.kill(signal)),
  log: Effect.sync(() => [...server.log])
})

const onPath = (name: string) =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .filter((directory) => directory !== "")
    .map((directory) => join(directory, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
