import { ConnectFailed } from "@echomq/keyspace"
import { Effect, type Scope } from "effect"
import type { Link } from "../Link.ts"
import { address, type Target } from "../Target.ts"
import { GlideLink } from "./GlideLink.ts"
import { knock } from "./Knock.ts"

/** Knock, create, pin: the first half of the recipe that holds GLIDE to one connection. */
export const dial = Effect.fnUntraced(function* (
  target: Target
): Effect.fn.Return<Link, ConnectFailed, Scope.Scope> {
  yield* knock(target)
  const link = yield* Effect.acquireRelease(
    Effect.sync(() => new GlideLink(target)),
    (link) => Effect.sync(() => link.close())
  )
  yield* Effect.tryPromise({
    try: () => link.open(),
    catch: (error) =>
      new ConnectFailed({
        address: address(target),
        reason: "closed",
        detail: error instanceof Error ? error.message : String(error)
      })
  })
  return link
})
