import { ConnectorWire4 } from "@echomq/connector-wire4"
import { ConnectFailed, Fence, VERSION_KEY, VersionFence, WIRE_4, WIRE_6 } from "@echomq/keyspace"
import { TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ConnectorWire6 } from "../src/index.ts"
import { dial } from "./support/client.ts"
import { executed, keys } from "./support/statistics.ts"
import { VERBS } from "./support/verbs.ts"

const clustered = TestNode.make({ module: modulePath(), args: ["--cluster-enabled", "yes"] })

/** A cluster of one node, which serves every slot. */
const served = Effect.gen(function* () {
  const node = yield* clustered
  yield* node.admin("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
  yield* until("the cluster is up", node.admin("CLUSTER", "INFO"), (info) =>
    /cluster_state:ok/.test(String(info))
  )
  return node
})

const wires = [
  ["4", ConnectorWire4.make],
  ["6", ConnectorWire6.make]
] as const

it("the text is one of its own", () => {
  const others = [Fence.WIRE_ABSENT, `EMQWIRE expected ${WIRE_6} found`]
  expect(Fence.CLUSTER_REFUSED).toMatch(/^EMQWIRE /)
  for (const other of others) expect(Fence.CLUSTER_REFUSED.startsWith(other)).toBe(false)
})

describe.concurrent("on a cluster-enabled server that serves every slot", () => {
  it.live.each([
    ["absent", null],
    [WIRE_6, WIRE_6],
    [WIRE_4, WIRE_4]
  ] as const)("every verb refuses before it reads a key that is %s", ([, stored]) =>
    Effect.gen(function* () {
      const node = yield* served
      if (stored !== null) yield* node.admin("SET", VERSION_KEY, stored)
      const client = yield* dial(node)
      for (const verb of VERBS) {
        expect(yield* client.refusal(verb, 1, "emq:{q}:pending", "a")).toBe(Fence.CLUSTER_REFUSED)
      }
      expect(yield* executed(node)).toEqual(Object.fromEntries(VERBS.map((verb) => [verb.toLowerCase(), 1])))
      expect(yield* node.writes).toBe(0)
      expect(yield* keys(node)).toEqual(stored === null ? [] : [VERSION_KEY])
    })
  )

  it.live("EMQ.INSTALL refuses in the same words, and writes nothing", () =>
    Effect.gen(function* () {
      const node = yield* served
      const client = yield* dial(node)
      expect(yield* client.refusal("EMQ.INSTALL", 1, VERSION_KEY)).toBe(Fence.CLUSTER_REFUSED)
      expect(yield* executed(node)).toEqual({ "emq.install": 1 })
      expect(yield* keys(node)).toEqual([])
    })
  )

  it.live("shape and layout are checked first, and EMQ.VERSION answers", () =>
    Effect.gen(function* () {
      const node = yield* served
      const client = yield* dial(node)
      expect(yield* client.refusal("EMQ.CLAIM", 0, "emq:{q}:x")).toMatch(/numkeys must be at least 1/)
      expect(yield* client.refusal("EMQ.CLAIM", 1, "bull:q:wait")).toMatch(/^EMQKEY /)
      expect(yield* client.call("EMQ.VERSION")).toContain(WIRE_6)
    })
  )

  it.live("a wire-6 connector passes its fence there, and is stopped by its first verb", () =>
    Effect.gen(function* () {
      const node = yield* served
      yield* node.admin("SET", VERSION_KEY, WIRE_6)
      const connector = yield* ConnectorWire6.make({ host: node.host, port: node.port })
      const error = yield* Effect.flip(connector.command(["EMQ.ENQUEUE", 1, "emq:{q}:pending"]))
      expect(error).toMatchObject({ _tag: "ServerError", code: "EMQWIRE", message: Fence.CLUSTER_REFUSED })
      const stopped = yield* Effect.flip(connector.stopped)
      if (!(stopped instanceof VersionFence)) return expect.unreachable(stopped._tag)
      expect(stopped.got).toBe(Fence.CLUSTER_REFUSED)
      expect(yield* keys(node)).toEqual([VERSION_KEY])
    })
  )
})

describe.concurrent("on a cluster-enabled server that serves no slot", () => {
  it.live.each(wires)("wire %s ends typed: not ready", ([, make]) =>
    Effect.gen(function* () {
      const node = yield* clustered
      const error = yield* Effect.flip(
        make({ host: node.host, port: node.port, connectTimeout: "30 seconds" })
      )
      if (!(error instanceof ConnectFailed)) return expect.unreachable(error._tag)
      expect(error.reason).toBe("not-ready")
      expect(error.detail).toMatch(/^CLUSTERDOWN /)
      expect((yield* executed(node)).get).toBe(undefined)
      expect(yield* keys(node)).toEqual([])
    })
  )

  it.live("a verb refuses in its own words all the same, and EMQ.INSTALL in the server's", () =>
    Effect.gen(function* () {
      const client = yield* dial(yield* clustered)
      for (const verb of VERBS) {
        expect(yield* client.refusal(verb, 1, "emq:{q}:pending")).toBe(Fence.CLUSTER_REFUSED)
      }
      expect(yield* client.refusal("EMQ.INSTALL", 1, VERSION_KEY)).toMatch(/^CLUSTERDOWN /)
    })
  )

  it.live.each(wires)(
    "a running connector of wire %s waits until the slots are served again",
    ([wire, make]) =>
      Effect.gen(function* () {
        const node = yield* served
        yield* node.admin("SET", VERSION_KEY, wire === "4" ? WIRE_4 : WIRE_6)
        const connector = yield* make({ host: node.host, port: node.port })
        yield* node.replace({ module: modulePath(), args: ["--cluster-enabled", "yes"] })
        yield* until(
          "it is told that the cluster is down",
          connector.status,
          (status) =>
            status._tag === "Down" &&
            status.error._tag === "ConnectFailed" &&
            status.error.reason === "not-ready"
        )
        yield* node.admin("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        yield* until(
          "the cluster is up",
          Effect.result(node.admin("SET", VERSION_KEY, wire === "4" ? WIRE_4 : WIRE_6)),
          ({ _tag }) => _tag === "Success"
        )
        yield* until("it serves again", connector.stats, ({ reconnects }) => reconnects === 1)
      })
  )
})
