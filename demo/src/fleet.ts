import { ConnectorWire6 } from "@echomq/connector-wire6"
import { TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { Effect } from "effect"
import { table } from "./table.ts"

const seed = [["SET", "{emq}:version", "echomq:6.0.0"]]

const cases = [
  { fleet: "the module as shipped", module: modulePath(), expected: "runs" },
  { fleet: "no module", module: undefined, expected: "EmqAbsent" },
  { fleet: "a token short", module: modulePath("token-short"), expected: "ClientRule" },
  { fleet: "another major", module: modulePath("major"), expected: "ClientRule" },
  { fleet: "a foreign wire", module: modulePath("wire"), expected: "ClientRule" }
]

const play = Effect.fnUntraced(function* ({ expected, fleet, module }: (typeof cases)[number]) {
  const node = yield* TestNode.make({ seed, ...(module === undefined ? {} : { module }) })
  const said = yield* Effect.scoped(ConnectorWire6.make({ host: node.host, port: node.port })).pipe(
    Effect.as({ tag: "runs", why: "" }),
    Effect.catch((error) => Effect.succeed({ tag: error._tag, why: error.message }))
  )
  const { get = 0 } = yield* node.executed
  const right = said.tag === expected && get === (expected === "runs" ? 1 : 0)
  return { right, cells: [fleet, said.tag, String(get), said.why, right ? "" : "WRONG"] }
}, Effect.scoped)

/** Nodes that a fleet meets while it is upgraded, all holding `echomq:6.0.0`, against a wire-6 connector. */
export const fleet = Effect.gen(function* () {
  const rows = yield* Effect.forEach(cases, play)
  console.log(
    `\n${table(
      ["the node has", "wire-6 connector", "reads of the key", "why", ""],
      rows.map(({ cells }) => cells)
    )}\n`
  )
  return rows.every(({ right }) => right)
})
