import { TestNode } from "@echomq/test-node"
import { modulePath } from "@echomq/test-node/module"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { at, start } from "./support.ts"

const WIRE_4 = ["SET", "{emq}:version", "echomq:4.0.0"]
const WIRE_6 = ["SET", "{emq}:version", "echomq:6.0.0"]

const installed = { module: modulePath(), seed: [WIRE_6] }

/** Runs an example to its end. */
const run = Effect.fnUntraced(function* (name: string, environment: Readonly<Record<string, string>>) {
  const example = yield* start(name, environment)
  const status = yield* example.status
  return { status, printed: example.printed() }
})

describe.each(["first", "promises"])("%s", (name) => {
  it.live("writes to an empty node and claims it", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const { printed, status } = yield* run(name, at(node))
      expect(printed.trimEnd().split("\n").at(-1)).toBe("hello")
      expect(status).toBe(0)
      expect(yield* node.admin("GET", "greeting")).toBe("hello")
      expect(yield* node.admin("GET", "{emq}:version")).toBe("echomq:4.0.0")
    })
  )

  it.live("writes nothing to another wire's", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed: [WIRE_6] })
      const { printed, status } = yield* run(name, at(node))
      expect(printed).toContain('this node is not ours: expected echomq:4.0.0 but found "echomq:6.0.0"')
      expect(status).toBe(0)
      expect(yield* node.writes).toBe(0)
    })
  )
})

describe("service", () => {
  const fatal = [
    {
      tag: "VersionFence",
      node: { seed: [WIRE_6] },
      advice: "never delete the key",
      status: 78
    },
    {
      tag: "VersionFence",
      node: { module: modulePath() },
      environment: { EMQ_WIRE: "6" },
      advice: "EMQ.INSTALL 1 {emq}:version",
      status: 78
    },
    {
      tag: "AuthRefused",
      node: { args: ["--requirepass", "secret"] },
      environment: { EMQ_PASSWORD: "wrong" },
      advice: "EMQ_PASSWORD",
      status: 77
    },
    {
      tag: "BootRefused",
      node: {},
      environment: { EMQ_DATABASE: "99" },
      advice: "EMQ_DATABASE",
      status: 78
    },
    {
      tag: "BootRefused",
      node: {},
      environment: { EMQ_CLIENT_NAME: "two words" },
      advice: "EMQ_CLIENT_NAME",
      status: 78
    },
    {
      tag: "EmqAbsent",
      node: { seed: [WIRE_6] },
      environment: { EMQ_WIRE: "6" },
      advice: "Load the module",
      status: 78
    },
    {
      tag: "EmqVersion",
      node: { ...installed, args: ["--user", "app", "on", ">secret", "~*", "+@all", "-emq.version"] },
      environment: { EMQ_WIRE: "6", EMQ_USERNAME: "app", EMQ_PASSWORD: "secret" },
      advice: "EMQ.VERSION",
      status: 77
    },
    {
      tag: "ClientRule",
      node: { module: modulePath("token-short"), seed: [WIRE_6] },
      environment: { EMQ_WIRE: "6" },
      advice: "Upgrade the node's module",
      status: 78
    }
  ]

  it.live.each(fatal)("ends at its start by $tag: $advice", ({ advice, environment, node, status, tag }) =>
    Effect.gen(function* () {
      const made = yield* TestNode.make(node)
      const ended = yield* run("service", { ...at(made), ...environment })
      expect(ended.printed).toContain(`${tag}: `)
      expect(ended.printed).toContain(advice)
      expect(ended.status).toBe(status)
      expect(yield* made.writes).toBe(0)
    })
  )

  it.live("lives through a restart and ends when its node is another's", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      const service = yield* start("service", at(node))
      yield* service.prints("visits: 3")
      yield* node.kill
      yield* service.prints("not counted: ")
      yield* node.restart
      const before = Number(yield* node.admin("GET", "visits"))
      yield* service.prints(`visits: ${before + 3}`)
      yield* node.replace({ seed: [WIRE_6] })
      expect(yield* service.status).toBe(78)
      expect(service.printed()).toContain('VersionFence: expected echomq:4.0.0 but found "echomq:6.0.0"')
      expect(yield* node.writes).toBe(0)
    })
  )
})

describe.each([
  { wire: "4", node: {} },
  { wire: "6", node: installed }
])("worker on wire $wire", ({ node: options, wire }) => {
  it.live("does each job, through a restart of the node, and stops when it is told to", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make(options)
      yield* node.admin("RPUSH", "emq:{orders}:active:worker-1", "cut off")
      yield* node.admin("RPUSH", "emq:{orders}:pending", "first")
      const worker = yield* start("worker", { ...at(node), EMQ_WIRE: wire, EMQ_CLIENT_NAME: "worker-1" })
      yield* worker.prints(`worker-1 waits on wire ${wire}`)
      yield* worker.prints("done: first")
      yield* node.restart
      yield* node.admin("RPUSH", "emq:{orders}:pending", "after the restart")
      yield* worker.prints("done: after the restart")
      yield* worker.terminate
      expect(yield* worker.status).toBe(130)
      expect(worker.printed()).toMatch(/done: cut off\n(.*\n)*done: first\n(.*\n)*stopped\n/)
      expect(yield* node.admin("KEYS", "emq:*")).toEqual([])
    })
  )
})

describe("move", () => {
  it.live("drains, installs, starts; then neither executor writes to the other's node", () =>
    Effect.gen(function* () {
      const left = ["JOB00000000001", "JOB00000000002", "JOB00000000003"]
      const old = yield* TestNode.make({ seed: [WIRE_4, ["RPUSH", "emq:{orders}:pending", ...left]] })
      const next = yield* TestNode.make({ module: modulePath() })
      const url = ({ host, port }: TestNode["Service"]) => `valkey://${host}:${port}`
      const { printed, status } = yield* run("move", { OLD_URL: url(old), NEW_URL: url(next) })
      const lines = printed.split("\n").filter((line) => !line.startsWith("["))
      expect(lines).toEqual([
        "drained 3 jobs on wire 4",
        "EMQ.INSTALL replied 1",
        "enqueued on wire 6",
        'wire 4 on the new node: expected echomq:4.0.0 but found "echomq:6.0.0"',
        expect.stringMatching(/^wire 6 on the old node: ERR unknown command 'EMQ.VERSION'/),
        ""
      ])
      expect(status).toBe(0)
      expect(yield* old.admin("KEYS", "*")).toEqual(["{emq}:version"])
      expect((yield* next.admin("KEYS", "*") as Effect.Effect<Array<string>>).toSorted()).toEqual([
        "emq:{orders}:journal",
        "{emq}:version"
      ])
      // The three jobs that it took, and none that it wrote.
      expect(yield* old.writes).toBe(4)
    })
  )
})
