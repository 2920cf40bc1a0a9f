import { type Config, Effect } from "effect"
import type { Runner } from "./Runner.ts"

export const runner: Effect.Effect<Runner, Config.ConfigError> = Effect.die("not built yet")
