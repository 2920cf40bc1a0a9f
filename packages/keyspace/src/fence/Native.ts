import { ServerError } from "../CallError.ts"
import { VersionFence } from "../FatalError.ts"
import { printableError } from "../Printable.ts"
import type { Reply } from "../Reply.ts"
import { VERSION_KEY, WIRE_6 } from "../Wire.ts"
import { type Machine, pass, refuse, type Step, send } from "./Machine.ts"
import { holds, shown } from "./Stored.ts"

/** The module's refusal of an absent version key. */
export const WIRE_ABSENT = `EMQWIRE expected ${WIRE_6} but ${VERSION_KEY} is absent`

/** The module's refusal of a cluster-enabled server, given before it reads anything. */
export const CLUSTER_REFUSED = "EMQWIRE expected a standalone server found a cluster-enabled one"

/** How the module's refusal of a stored value begins; the value follows, as it may be shown. */
const FOUND = `EMQWIRE expected ${WIRE_6} found `

const found = (reply: Reply): ServerError =>
  reply instanceof ServerError ? reply : ServerError.of(`${FOUND}${shown(reply)}`)

/** A verb's `EMQWIRE` refusal as the connector's own: what the fence in the server got. */
export const mismatchOf = (error: ServerError): VersionFence => {
  if (error.message === WIRE_ABSENT) return new VersionFence({ expected: WIRE_6, got: null })
  const got = error.message.startsWith(FOUND) ? error.message.slice(FOUND.length) : printableError(error)
  return new VersionFence({ expected: WIRE_6, got, error })
}

export type VerbState = "read"

/** The fence of a native write verb, run inside the server on every write. It never writes. */
export const nativeVerb: Machine<VerbState, void, ServerError> = {
  start: send("read", "GET", VERSION_KEY),
  next: (_, reply) =>
    holds(reply, WIRE_6)
      ? pass(undefined)
      : refuse(reply === null ? ServerError.of(WIRE_ABSENT) : found(reply))
}

export type InstallState = "read" | "write"

type InstallStep = Step<InstallState, 0 | 1, ServerError>

/** `EMQ.INSTALL 1 {emq}:version`: it writes the module's constant or nothing, and passes with its reply. */
export const install: Machine<InstallState, 0 | 1, ServerError> = {
  start: send("read", "GET", VERSION_KEY),
  next: (state, reply): InstallStep => {
    if (state === "write") return reply instanceof ServerError ? refuse(reply) : pass(1)
    if (reply === null) return send("write", "SET", VERSION_KEY, WIRE_6)
    return holds(reply, WIRE_6) ? pass(0) : refuse(found(reply))
  }
}
