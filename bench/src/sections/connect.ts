import { ConnectorWire4 } from "@echomq/connector-wire4"
import { Dialer } from "@echomq/connector-wire4/link"
import { ConnectorWire6 } from "@echomq/connector-wire6"
import { Connector, VERSION_KEY } from "@echomq/keyspace"
import { GlideClient } from "@valkey/valkey-glide"
import { Effect, Layer, type Scope } from "effect"
import { load, peers } from "../clients/kinds.ts"
import { interleaved } from "../measure.ts"
import { moduleNode, plainNode } from "../Node.ts"
import { quiet } from "../quiet.ts"
import { short, spread } from "../report/numbers.ts"
import { atMost } from "../report/targets.ts"
import type { Section } from "../Section.ts"
import { median, quantile, ratio } from "../statistics.ts"

/** Whatever a client leaves to be done after it is closed is not the next one's. */
const PAUSE_MILLIS = 10

const host = "127.0.0.1"

const glideDefault = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(() => GlideClient.createClient({ addresses: [{ host, port }] })),
    (client) => Effect.sync(() => client.close())
  )

/** What of a connect is the recipe that holds GLIDE to one connection: knock, create, pin, and a boot in one round trip. */
const recipe = (port: number) =>
  Effect.gen(function* () {
    const { dial } = yield* Dialer
    const link = yield* dial({
      host,
      port,
      tls: null,
      connectTimeout: 2_000,
      requestTimeout: 2_000,
      blocks: false
    })
    const request = (...args: ReadonlyArray<string>) => ({ name: args[0] ?? "", args, bytes: true })
    yield* Effect.callback<void>((resume) =>
      link.send([request(...(link.pinProof ?? ["PING"])), request("GET", VERSION_KEY)], false, () =>
        resume(Effect.void)
      )
    )
  })

/** From nothing to a client that serves: connectors have booted and fenced by then, as layers. */
export const connect: Section = Effect.fnUntraced(function* (plan) {
  console.error("connect")
  const { port } = yield* plainNode
  const module = yield* moduleNode
  const wire4 = ConnectorWire4.layer({ host, port })
  const wire6 = ConnectorWire6.layer({ host, port: module.port })
  const opens: Record<string, Effect.Effect<unknown, unknown, Scope.Scope>> = {
    "connector, wire 4": Layer.build(wire4),
    "connector, wire 6": Layer.build(wire6),
    "connector, wire 4 by layerByWire": Layer.build(Connector.layerByWire({ 4: wire4, 6: wire6 })),
    "the link alone": recipe(port),
    "GLIDE, default options": glideDefault(port)
  }
  for (const peer of peers.filter((peer) => peer !== "GLIDE")) {
    const open = yield* Effect.promise(() => load(peer))
    opens[peer] = open(port)
  }
  const names = Object.keys(opens)
  const connected = (name: string) => opens[name] ?? Effect.void
  const millis = yield* interleaved(names, plan.connects, (name) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const start = performance.now()
        const took = yield* Effect.scoped(Effect.map(connected(name), () => performance.now() - start))
        yield* Effect.sleep(PAUSE_MILLIS)
        return took
      }).pipe(quiet)
    )
  )
  const of = (name: string) => millis[name] ?? []
  const glide = of("GLIDE, default options")
  const toGlide = (name: string) => ratio(of(name), glide)
  return {
    title: "Connecting",
    tables: [
      {
        title: `From nothing to serving, in ms (${plan.connects} each; one after the other)`,
        head: ["client", "median", "p90", "to GLIDE's default"],
        rows: names.map((name) => [
          name,
          short(median(of(name))),
          short(quantile(of(name), 0.9)),
          spread(toGlide(name))
        ])
      }
    ],
    targets: [
      atMost(
        "connect, boot and fence on wire 4, to GLIDE's default connect",
        1.1,
        toGlide("connector, wire 4")
      ),
      atMost(
        "connect, boot and fence on wire 6, to GLIDE's default connect",
        1.4,
        toGlide("connector, wire 6")
      )
    ],
    panels: []
  }
})
