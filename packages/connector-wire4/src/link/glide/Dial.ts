import { ConnectFailed } from "@echomq/keyspace"
import { Effect, type Scope } from "effect"
import type { Link } from "../Link.ts"
import { address, type Target } from "../Target.ts"
import { GlideLink } from "./GlideLink.ts"
import { knock } from "./Knock.ts"
import { relay } from "./Relay.ts"

/** What the driver says when it cannot have a connection; it rarely has a reason. */
export const failed = (target: Target, error: unknown): ConnectFailed =>
  new ConnectFailed({
    address: address(target),
    reason: "closed",
    detail: error instanceof Error ? error.message : String(error)
  })

/**
 * Knock, create, pin: the first half of the recipe that holds GLIDE to one connection. One that may block is held by a
 * relay as well.
 */
export const dial = Effect.fnUntraced(function* (
  target: Target
): Effect.fn.Return<Link, ConnectFailed, Scope.Scope> {
  yield* knock(target)
  const held = target.blocks ? yield* relay(target) : null
  const link = yield* Effect.acquireRelease(
    Effect.sync(() => new GlideLink(held === null ? target : { ...target, ...held.address, tls: null })),
    (link) => Effect.sync(() => link.close())
  )
  held?.onEnd(() => link.lose("the connection was closed"))
  yield* Effect.tryPromise({
    try: () => link.open(),
    catch: (error) => failed(target, error)
  })
  return link
})
