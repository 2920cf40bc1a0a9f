import { Result } from "effect"
import { ServerError } from "../CallError.ts"
import { AuthRefused, type ClientRule, EmqAbsent, type EmqVersion, type VersionFence } from "../FatalError.ts"
import { clientRule, decode, type ModuleReport } from "../ModuleVersion.ts"
import { printableError } from "../Printable.ts"
import { VERSION_KEY, WIRE_6 } from "../Wire.ts"
import { type ConnectorMachine, notReady, pass, redialIfReadonly, refuse, send } from "./Machine.ts"
import { mismatchOf } from "./Native.ts"
import { holds, mismatch } from "./Stored.ts"
import { isTransient } from "./Transient.ts"

export type Wire6State = { readonly at: "module" } | { readonly at: "read"; readonly module: ModuleReport }

export type Wire6Refusal = VersionFence | AuthRefused | EmqAbsent | EmqVersion | ClientRule

/**
 * The fence of the module's client: the module first, by `EMQ.VERSION` and the
 * client rule, and only then the version key, which it never writes.
 */
export const wire6: ConnectorMachine<Wire6State, ModuleReport, Wire6Refusal> = {
  start: send({ at: "module" }, "EMQ.VERSION"),
  next: (state, reply) => {
    if (reply instanceof ServerError) {
      if (isTransient(reply)) return notReady(reply)
      if (reply.code === "NOAUTH") return refuse(new AuthRefused({ message: printableError(reply) }))
      if (state.at === "module" && reply.message.startsWith("ERR unknown command")) {
        return refuse(new EmqAbsent({ message: printableError(reply) }))
      }
    }
    if (state.at === "read") {
      return holds(reply, WIRE_6) ? pass(state.module) : refuse(mismatch(WIRE_6, reply))
    }
    return Result.match(Result.flatMap(decode(reply), clientRule), {
      onSuccess: (module) => send({ at: "read" as const, module }, "GET", VERSION_KEY),
      onFailure: refuse
    })
  },
  served: (error) => (error.code === "EMQWIRE" ? refuse(mismatchOf(error)) : redialIfReadonly(error))
}
