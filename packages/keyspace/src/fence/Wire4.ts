import { ServerError } from "../CallError.ts"
import { AuthRefused, type VersionFence } from "../FatalError.ts"
import { printableError } from "../Printable.ts"
import type { Reply } from "../Reply.ts"
import { VERSION_KEY, WIRE_4 } from "../Wire.ts"
import {
  type ConnectorMachine,
  notReady,
  pass,
  redialIfReadonly,
  refuse,
  type Step,
  send
} from "./Machine.ts"
import { holds, mismatch } from "./Stored.ts"
import { isTransient } from "./Transient.ts"

export type Wire4State =
  | { readonly at: "read" }
  | { readonly at: "claim" }
  | { readonly at: "confirm"; readonly claim: ServerError | null }

export type Wire4Refusal = VersionFence | AuthRefused

type Wire4Step = Step<Wire4State, void, Wire4Refusal>

const verify = (reply: Reply, claim?: ServerError): Wire4Step =>
  holds(reply, WIRE_4) ? pass(undefined) : refuse(mismatch(WIRE_4, reply, claim))

/**
 * The scripted executor's fence: read the version key, claim it where it is
 * absent, and let the confirming `GET` decide, never the reply to the claim.
 */
export const wire4: ConnectorMachine<Wire4State, void, Wire4Refusal> = {
  start: send({ at: "read" }, "GET", VERSION_KEY),
  next: (state, reply) => {
    if (reply instanceof ServerError) {
      if (isTransient(reply)) return notReady(reply)
      if (reply.code === "NOAUTH") return refuse(new AuthRefused({ message: printableError(reply) }))
    }
    switch (state.at) {
      case "read":
        return reply === null ? send({ at: "claim" }, "SET", VERSION_KEY, WIRE_4, "NX") : verify(reply)
      case "claim":
        return send({ at: "confirm", claim: reply instanceof ServerError ? reply : null }, "GET", VERSION_KEY)
      case "confirm":
        return verify(reply, state.claim ?? undefined)
    }
  },
  served: redialIfReadonly
}
