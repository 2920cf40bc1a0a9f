import { Config, Effect, type Scope } from "effect"
import type { NodeError } from "./NodeError.ts"

/** A server that was started. It is killed when the scope it was started in closes. */
export interface Running {
  /** Ends when the server has. */
  readonly exited: Effect.Effect<void>
  /** Ends when the server has got the signal; for SIGKILL, when it is gone. */
  readonly signal: (signal: "SIGKILL" | "SIGSTOP" | "SIGCONT") => Effect.Effect<void, NodeError>
  /** The last lines that the server printed. */
  readonly log: Effect.Effect<ReadonlyArray<string>>
}

/** A way to run servers: as a process of this machine, or in a container. */
export interface Runner {
  /** Starts `valkey-server` with these arguments, in this directory. */
  readonly start: (
    args: ReadonlyArray<string>,
    directory: string
  ) => Effect.Effect<Running, NodeError, Scope.Scope>
}

const kind = Config.Literals(["process", "container"], "EMQ_TEST_NODE").pipe(Config.withDefault("process"))

/** The runner that `EMQ_TEST_NODE` names: `process`, the default, or `container`. */
export const runner: Effect.Effect<Runner, Config.ConfigError> = Effect.gen(function* () {
  if ((yield* kind) === "process") return (yield* Effect.promise(() => import("./ProcessRunner.ts"))).runner
  return yield* (yield* Effect.promise(() => import("./ContainerRunner.ts"))).runner
})
