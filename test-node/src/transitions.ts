/**
 * Transitions that do the same on either executor, and the tests that say so.
 *
 * What the module does is known: a verb appends its call to the queue's journal and replies the journal's new length.
 * The scripts here do exactly that, so that the two can be compared to the last byte.
 */
import {
  type ConnectFailed,
  type Connector,
  type FatalError,
  type Part,
  ServerError,
  script,
  type TransitionError,
  transition,
  type Wire
} from "@echomq/keyspace"
import { describe, expect, it } from "@effect/vitest"
import { type Config, Effect, Exit, Schema, SchemaTransformation, type Scope } from "effect"
import type { NodeError } from "./NodeError.ts"
import type { TestNode } from "./TestNode.ts"

/** The scripted form of a verb of the module, its refusal of a key that is no queue's included. */
const journalled = (verb: string) =>
  script(`
local verb = '${verb}'
local queue
for i, key in ipairs(KEYS) do
  local own = string.match(key, '^emq:{([^{}]+)}:.')
  if not own then
    return redis.error_reply('EMQKEY ' .. verb .. ' key ' .. i .. ' is not in queue space emq:{q}:<type>: ' .. key)
  end
  queue = queue or own
  if own ~= queue then
    return redis.error_reply('EMQKEY ' .. verb .. ' key ' .. i .. ' is not of the queue of key 1: ' .. key)
  end
end
local element = { '*' .. (2 + #KEYS + #ARGV) .. '\\r\\n' }
local function push(part)
  element[#element + 1] = '$' .. #part .. '\\r\\n' .. part .. '\\r\\n'
end
push(verb)
push(tostring(#KEYS))
for _, key in ipairs(KEYS) do push(key) end
for _, arg in ipairs(ARGV) do push(arg) end
return redis.call('RPUSH', 'emq:{' .. queue .. '}:journal', table.concat(element))
`)

/** An element of the journal. */
export const element = (verb: string, keys: ReadonlyArray<Part>, args: ReadonlyArray<Part>): Buffer => {
  const parts = [verb, keys.length, ...keys, ...args].map((part) =>
    part instanceof Uint8Array ? Buffer.from(part) : Buffer.from(String(part))
  )
  return Buffer.concat([
    Buffer.from(`*${parts.length}\r\n`),
    ...parts.flatMap((part) => [Buffer.from(`$${part.length}\r\n`), part, Buffer.from("\r\n")])
  ])
}

/** Text to a journal. */
export const append = transition({
  name: "append",
  keys: 1,
  args: Schema.Tuple([Schema.String]),
  result: Schema.Int,
  scripted: journalled("EMQ.APPEND"),
  native: { verb: "EMQ.APPEND", capability: "append" }
})

/** Any bytes, over two keys. */
export const publish = transition({
  name: "publish",
  keys: 2,
  args: Schema.Tuple([Schema.Uint8Array, Schema.Int]),
  result: Schema.Int,
  scripted: journalled("EMQ.PUBLISH"),
  native: { verb: "EMQ.PUBLISH", capability: "publish" }
})

/** No arguments. */
export const claim = transition({
  name: "claim",
  keys: 1,
  args: Schema.Tuple([]),
  result: Schema.Int,
  scripted: journalled("EMQ.CLAIM"),
  native: { verb: "EMQ.CLAIM", capability: "claim" }
})

/** A job as an application has it, whose priority is bounded; the result is one of its own too. */
export const enqueue = transition({
  name: "enqueue",
  keys: 2,
  args: Schema.Tuple([Schema.String, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))]).pipe(
    Schema.decodeTo(
      Schema.Struct({ data: Schema.String, priority: Schema.Number }),
      SchemaTransformation.transform({
        decode: ([data, priority]) => ({ data, priority }),
        encode: ({ data, priority }) => [data, priority] as const
      })
    )
  ),
  result: Schema.Int.pipe(
    Schema.decodeTo(
      Schema.Struct({ position: Schema.Int }),
      SchemaTransformation.transform({
        decode: (length) => ({ position: length - 1 }),
        encode: ({ position }) => position + 1
      })
    )
  ),
  scripted: journalled("EMQ.ENQUEUE"),
  native: { verb: "EMQ.ENQUEUE", capability: "enqueue" }
})

/** One whose reply never fits its schema: that is the caller's to be told, though it has run. */
export const misread = transition({
  name: "misread",
  keys: 1,
  args: Schema.Tuple([]),
  result: Schema.String,
  scripted: journalled("EMQ.FAILURES"),
  native: { verb: "EMQ.FAILURES", capability: "failures.incr" }
})

/** A fenced connector, and the node that it leads to. */
export interface Served {
  readonly node: TestNode["Service"]
  readonly connector: Connector["Service"]
}

/** Declares the tests that a connector passes on every wire, with the same results. */
export const conformance = (
  wire: Wire,
  serve: Effect.Effect<Served, ConnectFailed | FatalError | NodeError | Config.ConfigError, Scope.Scope>
): void => {
  const journal = (node: TestNode["Service"], queue = "q") =>
    Effect.map(node.adminBuffer("LRANGE", `emq:{${queue}}:journal`, 0, -1), (elements) =>
      (elements as ReadonlyArray<Buffer>).map((element) => element.toString("latin1"))
    )
  const elements = (...list: ReadonlyArray<Buffer>) => list.map((element) => element.toString("latin1"))
  const [pending, events] = ["emq:{q}:pending", "emq:{q}:events"]

  describe(`transitions on wire ${wire}`, () => {
    it.live("give the journal's length, and leave their call in it", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serve
        expect(connector.wire).toBe(wire)
        expect(yield* connector.run(append, [events], ["one"])).toBe(1)
        expect(yield* connector.run(claim, [pending], [])).toBe(2)
        expect(yield* connector.run(append, [events], [""])).toBe(3)
        expect(yield* connector.run(append, ["emq:{other}:events"], ["two"])).toBe(1)
        expect(yield* journal(node)).toEqual(
          elements(
            element("EMQ.APPEND", [events], ["one"]),
            element("EMQ.CLAIM", [pending], []),
            element("EMQ.APPEND", [events], [""])
          )
        )
        expect(yield* journal(node, "other")).toEqual(
          elements(element("EMQ.APPEND", ["emq:{other}:events"], ["two"]))
        )
      })
    )

    it.live("take bytes as they are, in keys and arguments", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serve
        const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
        const key = Buffer.concat([Buffer.from("emq:{q}:"), Buffer.from(bytes)])
        expect(yield* connector.run(publish, [key, events], [bytes, -1])).toBe(1)
        expect(yield* connector.run(publish, [events, key], [new Uint8Array(), 2 ** 53 - 1])).toBe(2)
        expect(yield* connector.run(append, [events], ["schön \0 \u{1f600}\r\n"])).toBe(3)
        expect(yield* journal(node)).toEqual(
          elements(
            element("EMQ.PUBLISH", [key, events], [bytes, -1]),
            element("EMQ.PUBLISH", [events, key], ["", "9007199254740991"]),
            element("EMQ.APPEND", [events], ["schön \0 \u{1f600}\r\n"])
          )
        )
      })
    )

    it.live("have arguments and results of the application's own", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serve
        const job = { data: JSON.stringify({ to: "a@example.org" }), priority: 7 }
        expect(yield* connector.run(enqueue, [pending, events], job)).toEqual({ position: 0 })
        expect(yield* connector.run(enqueue, [pending, events], job)).toEqual({ position: 1 })
        const one = element("EMQ.ENQUEUE", [pending, events], [job.data, 7])
        expect(yield* journal(node)).toEqual(elements(one, one))
      })
    )

    it.live("that are given another number of keys are not sent", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serve
        const { commands } = yield* connector.stats
        for (const keys of [[], [pending], [pending, events, pending]]) {
          const error = yield* Effect.flip(connector.run(publish, keys, [new Uint8Array(), 1]))
          expect(error).toMatchObject({
            _tag: "CommandRefused",
            command: "publish",
            why: `it was given ${keys.length} keys`,
            instead: "pass 2"
          })
        }
        expect((yield* connector.stats).commands).toBe(commands)
        expect(yield* journal(node)).toEqual([])
      })
    )

    it.live("whose arguments do not fit are not sent", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serve
        const { commands } = yield* connector.stats
        const attempts: ReadonlyArray<Effect.Effect<unknown, TransitionError>> = [
          connector.run(enqueue, [pending, events], { data: "x", priority: 10 }),
          connector.run(enqueue, [pending, events], { data: "x", priority: 0.5 }),
          connector.run(append, [events], [7 as unknown as string]),
          connector.run(publish, [pending, events], [new Uint8Array(), Number.NaN])
        ]
        for (const attempt of attempts) expect((yield* Effect.flip(attempt))._tag).toBe("SchemaError")
        const surrogate = yield* Effect.flip(connector.run(append, [events], ["\ud800"]))
        expect(surrogate._tag).toBe("CommandRefused")
        expect((yield* connector.stats).commands).toBe(commands)
        expect(yield* journal(node)).toEqual([])
      })
    )

    it.live("whose reply does not fit have run", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serve
        expect((yield* Effect.flip(connector.run(misread, [pending], [])))._tag).toBe("SchemaError")
        expect(yield* journal(node)).toEqual(elements(element("EMQ.FAILURES", [pending], [])))
        expect((yield* connector.status)._tag).toBe("Serving")
      })
    )

    it.live("fail with what the server says, and the connector goes on", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serve
        expect(yield* Effect.flip(connector.run(append, ["bull:q:wait"], ["x"]))).toEqual(
          ServerError.of("EMQKEY EMQ.APPEND key 1 is not in queue space emq:{q}:<type>: bull:q:wait")
        )
        expect(
          yield* Effect.flip(connector.run(enqueue, [pending, "emq:{p}:x"], { data: "", priority: 0 }))
        ).toEqual(ServerError.of("EMQKEY EMQ.ENQUEUE key 2 is not of the queue of key 1: emq:{p}:x"))
        yield* node.admin("SET", "emq:{full}:journal", "no list")
        const error = yield* Effect.flip(connector.run(append, ["emq:{full}:events"], ["x"]))
        expect(error).toMatchObject({ _tag: "ServerError", code: "WRONGTYPE" })
        expect(yield* connector.run(append, [events], ["x"])).toBe(1)
        expect((yield* connector.stats).reconnects).toBe(0)
      })
    )

    it.live("run once each, however many at once", () =>
      Effect.gen(function* () {
        const { connector, node } = yield* serve
        const lengths = yield* Effect.forEach(
          Array.from({ length: 500 }, (_, i) => String(i)),
          (text) => connector.run(append, [events], [text]),
          { concurrency: "unbounded" }
        )
        expect(lengths.toSorted((a, b) => a - b)).toEqual(lengths.map((_, i) => i + 1))
        expect(new Set(yield* journal(node)).size).toBe(500)
      })
    )

    it.live("are declared once and run on several connectors", () =>
      Effect.gen(function* () {
        const [one, two] = [yield* serve, yield* serve]
        expect(yield* one.connector.run(append, [events], ["x"])).toBe(1)
        expect(yield* two.connector.run(append, [events], ["x"])).toBe(1)
        expect(yield* journal(one.node)).toEqual(yield* journal(two.node))
      })
    )

    it.live("on a connector that has ended fail as any call does", () =>
      Effect.gen(function* () {
        const { connector } = yield* Effect.scoped(serve)
        expect((yield* Effect.flip(connector.run(append, [events], ["x"])))._tag).toBe("Closed")
        expect(Exit.isFailure(yield* Effect.exit(connector.stopped))).toBe(true)
      })
    )
  })
}
