import { Effect } from "effect"
import type { Step } from "../Plan.ts"
import type { Site } from "../site/Site.ts"
import type { Fault } from "./Fault.ts"

/** A connector's scope is closed while its callers wait. */
export const closeConnector: Fault = {
  ends: true,
  strike: Effect.fnUntraced(function* (site: Site, step: Step) {
    const member = site.alive[Math.floor(step.dice[0] * site.alive.length)]
    if (member === undefined) return
    yield* member.close
    const late = yield* Effect.flip(member.connector.command(["PING"])).pipe(
      Effect.map(({ _tag }) => _tag),
      Effect.catch(() => Effect.succeed("reply"))
    )
    if (late !== "Closed") site.violate(`a closed connector answers ${late}`)
    site.dismiss(member, "Closed")
    yield* site.serving()
  })
}
