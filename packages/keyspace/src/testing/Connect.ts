import { Effect, type Scope } from "effect"
import type { ConnectFailure } from "../CallError.ts"
import { ConnectFailed, Disconnected, ServerError } from "../CallError.ts"
import type { AuthRefused, BootRefused } from "../FatalError.ts"
import type { Machine } from "../fence/Machine.ts"
import { printableError } from "../Printable.ts"
import type { Settings } from "./Limits.ts"
import type { MemoryNode } from "./MemoryNode.ts"
import { decode } from "./Raw.ts"
import type { Session } from "./Session.ts"

/** A connection that has passed the fence, and what it passed with. */
export interface Fenced<Pass> {
  readonly session: Session
  readonly value: Pass
}

export const lost = new Disconnected({ outcome: "unknown" })

const failed = (reason: ConnectFailure, detail = "") =>
  Effect.fail(new ConnectFailed({ address: "memory", reason, detail }))

const play = Effect.fnUntraced(function* <State, Pass, Refusal>(
  session: Session,
  machine: Machine<State, Pass, Refusal>
) {
  let step = machine.start
  while (step._tag === "Send") {
    const raws = yield* Effect.catch(session.send([step.command]), () => failed("closed"))
    const raw = raws instanceof ServerError ? raws : (raws[0] ?? null)
    step = machine.next(step.state, decode(raw, { command: step.command[0] ?? "", bytes: true }))
  }
  if (step._tag === "Refuse") return yield* Effect.fail(step.error)
  if (step._tag === "NotReady") return yield* failed("not-ready", printableError(step.error))
  return { session, value: step.value }
})

/** Opens one connection and plays the fence on it. */
export const connect = <State, Pass, Refusal>(
  node: MemoryNode["Service"],
  machine: Machine<State, Pass, Refusal>,
  { connectTimeout }: Settings
): Effect.Effect<Fenced<Pass>, ConnectFailed | AuthRefused | BootRefused | Refusal, Scope.Scope> =>
  Effect.acquireRelease(node.dial, (session) => Effect.sync(() => session.end(lost))).pipe(
    Effect.flatMap((session) => play(session, machine)),
    Effect.timeoutOrElse({ duration: connectTimeout, orElse: () => failed("timeout") })
  )
