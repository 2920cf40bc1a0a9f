import type { NodeError } from "@echomq/test-node"
import type { Config, Effect, Scope } from "effect"
import type { Step } from "../Plan.ts"
import type { Site } from "../site/Site.ts"

/** Something that befalls a site. */
export interface Fault {
  /**
   * Makes it happen, ends it, and waits for what must come of it for the connectors: that they serve, or that they
   * have stopped.
   */
  readonly strike: (
    site: Site,
    step: Step
  ) => Effect.Effect<void, NodeError | Config.ConfigError, Scope.Scope>
  /** Whether the epoch is over with it: data went, or connectors did. */
  readonly ends?: true
  /** Where it can happen. Default: everywhere. */
  readonly where?: (site: Site) => boolean
}
