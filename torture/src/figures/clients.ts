import { ConnectorWire4 } from "@echomq/connector-wire4"
import { Effect, Stream } from "effect"
import { Redis } from "iovalkey"
import { createClient } from "redis"
import { bounds } from "../Bounds.ts"
import type { Subject } from "./Subject.ts"

const succeeded = (call: () => Promise<unknown>) =>
  Effect.promise(() =>
    call().then(
      () => true,
      () => false
    )
  )

const connector: Subject = {
  name: "connector",
  open: Effect.fnUntraced(function* ({ host, port }) {
    const { changes, command } = yield* Effect.orDie(ConnectorWire4.make({ ...bounds, host, port }))
    return {
      lost: changes.pipe(
        Stream.filter(({ _tag }) => _tag !== "Serving"),
        Stream.runHead,
        Effect.asVoid
      ),
      call: command(["SET", "figure", 1]).pipe(
        Effect.as(true),
        Effect.catch(() => Effect.succeed(false))
      )
    }
  })
}

const iovalkey: Subject = {
  name: "iovalkey",
  open: ({ host, port }) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new Redis({ host, port })
        client.on("error", () => undefined)
        await client.ping()
        return client
      }),
      (client) => Effect.sync(() => client.disconnect())
    ).pipe(
      Effect.map((client) => ({
        lost: Effect.callback<void>((resume) => {
          const noticed = () => resume(Effect.void)
          client.once("close", noticed)
          return Effect.sync(() => client.off("close", noticed))
        }),
        call: succeeded(() => client.set("figure", 1))
      }))
    )
}

const nodeRedis: Subject = {
  name: "node-redis",
  open: ({ host, port }) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const client = createClient({ socket: { host, port } })
        client.on("error", () => undefined)
        return client.connect()
      }),
      (client) => Effect.sync(() => client.destroy())
    ).pipe(
      Effect.map((client) => ({
        lost: Effect.callback<void>((resume) => {
          const noticed = () => resume(Effect.void)
          client.once("reconnecting", noticed)
          return Effect.sync(() => client.off("reconnecting", noticed))
        }),
        call: succeeded(() => client.set("figure", "1"))
      }))
    )
}

/** The connector and its peers, as they come: neither of these asks an idle connection for a sign of life. */
export const subjects: ReadonlyArray<Subject> = [connector, iovalkey, nodeRedis]
