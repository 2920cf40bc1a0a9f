import type { Command, ScriptCall } from "@echomq/keyspace"
import { Effect, Fiber, Tracer } from "effect"
import type { Settings } from "./Options.ts"
import { isScriptCall } from "./Scripts.ts"

/** What a traced call did, in the words of OpenTelemetry's conventions for databases. */
interface Operation {
  readonly name: string
  readonly batchSize?: number
}

const nameOf = (item: Command | ScriptCall): string =>
  isScriptCall(item) ? "EVALSHA" : String(item[0]).toUpperCase()

/** A single command, by its name. Its arguments are nobody else's business. */
export const one = (command: Command): Operation => ({ name: nameOf(command) })

/** Several, named together where they are all the same. */
export const several = (
  kind: "PIPELINE" | "MULTI",
  items: ReadonlyArray<Command | ScriptCall>
): Operation => {
  const names = new Set(items.map(nameOf))
  const [only] = names
  return { name: names.size === 1 && only !== undefined ? `${kind} ${only}` : kind, batchSize: items.length }
}

// Contexts do not change, and most callers share one.
let lastContext: unknown
let lastTraced = false

/** Whether the fiber that runs has a tracer installed. */
export const isTraced = (): boolean => {
  const fiber = Fiber.getCurrent()
  if (fiber === undefined) return false
  if (fiber.context !== lastContext) {
    lastContext = fiber.context
    lastTraced = fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer
  }
  return lastTraced
}

interface Failure {
  readonly _tag: string
}

/**
 * Wraps calls in client spans while a tracer is installed, and leaves them alone while
 * there is none: a call then pays for looking, and nothing else.
 */
export const tracing = ({ database, target }: Settings) => {
  const attributes = {
    // The conventions have no name for Valkey: its kin go by this one.
    "db.system.name": "redis",
    "db.namespace": String(database),
    "server.address": target.host,
    "server.port": target.port
  }
  return <A, E extends Failure>(operation: () => Operation, call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      if (!isTraced()) return call
      const { batchSize, name } = operation()
      return call.pipe(
        Effect.tapError((error) =>
          Effect.annotateCurrentSpan({
            "error.type": error._tag,
            ...("code" in error ? { "db.response.status_code": error.code } : {})
          })
        ),
        Effect.withSpan(name, {
          kind: "client",
          attributes: {
            ...attributes,
            "db.operation.name": name,
            ...(batchSize === undefined ? {} : { "db.operation.batch.size": batchSize })
          }
        })
      )
    })
}
