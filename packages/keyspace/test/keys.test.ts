import { readFileSync } from "node:fs"
import { assert, describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { encode } from "../src/BrandedId.ts"
import {
  jobKey,
  KeyRefused,
  type Location,
  locate,
  type ParsedKey,
  parse,
  queueKey,
  reserve
} from "../src/Key.ts"
import { slot } from "../src/Slot.ts"
import { toBytes } from "../src/Utf8.ts"
import { VERSION_KEY } from "../src/Wire.ts"

type Row = {
  readonly key: string
  readonly space: string
  readonly queue: string | null
  readonly suffix: string | null
  readonly hashtag: string
  readonly slot: number
}

const rows: ReadonlyArray<Row> = JSON.parse(
  readFileSync(new URL("../../../vectors/keys.json", import.meta.url), "utf8")
)

const success = <A, E>(result: Result.Result<A, E>): A => {
  assert(Result.isSuccess(result))
  return result.success
}

const failure = <A, E>(result: Result.Result<A, E>): E => {
  assert(Result.isFailure(result))
  return result.failure
}

const job = success(encode("JOB", 274557032793636864n))

const texts = fc.string({ unit: "binary", minLength: 1, maxLength: 80 })
const queues = texts.map((text) => text.replace(/[{}]/g, "_"))

describe("keys.json", () => {
  it.each(rows)("$key", ({ key, ...said }) => {
    const { why, ...located } = locate(key)
    expect(located).toEqual(said)
    expect(why).toMatch(/^(It|Its|The) .*\.$/)
    const { space, queue, suffix } = said
    expect(parse(key)).toEqual({ space, queue, suffix })
    // Bytes are read as the text is.
    expect(locate(toBytes(key))).toEqual(locate(key))
    if (suffix !== null) {
      expect(queue === null ? reserve(suffix) : queueKey(queue, suffix)).toEqual(Result.succeed(key))
    }
  })
})

describe("builders", () => {
  it("build the keys of the protocol", () => {
    expect(queueKey("orders", "pending")).toEqual(Result.succeed("emq:{orders}:pending"))
    expect(jobKey("orders", job)).toEqual(Result.succeed("emq:{orders}:job:JOB0KHTOWnGLuC"))
    expect(reserve("version")).toEqual(Result.succeed(VERSION_KEY))
  })

  it.each([
    ["queue empty", queueKey("", "pending"), "queue", "empty", ""],
    ["queue with {", queueKey("a{b", "pending"), "queue", "brace", "a{b"],
    ["queue with }", queueKey("a}b", "pending"), "queue", "brace", "a}b"],
    ["queue of a lone surrogate", queueKey("\ud800", "pending"), "queue", "surrogate", "\\xef\\xbf\\xbd"],
    ["type empty", queueKey("orders", ""), "type", "empty", ""],
    ["type of a lone surrogate", queueKey("orders", "\udc00"), "type", "surrogate", "\\xef\\xbf\\xbd"],
    ["suffix empty", reserve(""), "suffix", "empty", ""],
    ["job row of an empty queue", jobKey("", job), "queue", "empty", ""],
    ["job row of a queue with {", jobKey("{", "nope"), "queue", "brace", "{"],
    ["id empty", jobKey("orders", ""), "id", "length", ""],
    ["id of another namespace", jobKey("orders", "USR0KHTOWnGLuC"), "id", "namespace", "USR0KHTOWnGLuC"],
    ["id with a space", jobKey("orders", "JOB0KHTOW nGLu"), "id", "charset", "JOB0KHTOW nGLu"],
    ["id out of range", jobKey("orders", "JOBAzL8n0Y58m8"), "id", "range", "JOBAzL8n0Y58m8"]
  ] as const)("refuse: %s", (_, result, part, reason, value) => {
    expect(failure(result)).toMatchObject({ _tag: "KeyRefused", part, reason, value })
  })

  it("say what is wrong, short and printable", () => {
    expect(failure(queueKey("a{b\n", "pending")).message).toBe(
      'queue name "a{b\\n" refused (brace): it has a { or }, which would change the key\'s hashtag'
    )
    expect(failure(queueKey(`{${"\0".repeat(1_000_000)}`, "x")).message.length).toBeLessThan(400)
  })

  it("serialise the error", () => {
    const error = failure(jobKey("orders", "42"))
    const schema = Schema.toCodecJson(KeyRefused)
    const json = success(Schema.encodeUnknownResult(schema)(error))
    expect(json).toEqual({ _tag: "KeyRefused", part: "id", reason: "length", value: "42" })
    expect(success(Schema.decodeUnknownResult(schema)(json)).message).toBe(error.message)
  })

  it("are undone by parse, as text and as bytes, and put a queue in one slot", () => {
    fc.assert(
      fc.property(queues, texts, (queue, suffix) => {
        const key = success(queueKey(queue, suffix))
        expect(parse(key)).toEqual({ space: "queue", queue, suffix })
        expect(parse(toBytes(key))).toEqual({ space: "queue", queue, suffix })
        expect(locate(key)).toMatchObject({ hashtag: queue, slot: slot(queue) })
        expect(parse(success(reserve(suffix)))).toEqual({ space: "reserve", queue: null, suffix })
      })
    )
  })

  it("never let the reserve and a queue meet", () => {
    const awkward = fc.oneof(queues, fc.constantFrom("emq", "emq:", "version", ":", "emq:version"))
    fc.assert(
      fc.property(awkward, texts, texts, (queue, type, suffix) => {
        const inQueue = success(queueKey(queue, type))
        const inReserve = success(reserve(suffix))
        expect(toBytes(inQueue)[0]).not.toBe(toBytes(inReserve)[0])
      })
    )
  })
})

describe("locate", () => {
  it.each([
    ["emq:{a{b}:pending", "foreign", "a{b"],
    ["emq:{a}}:pending", "foreign", "a"],
    ["emq:{a}b:pending", "foreign", "a"],
    ["emq:{a", "foreign", "emq:{a"],
    ["emq:{a}", "foreign", "a"],
    ["EMQ:{a}:pending", "foreign", "a"],
    ["{EMQ}:version", "foreign", "EMQ"],
    [" {emq}:version", "foreign", "emq"],
    ["\ufeff{emq}:version", "foreign", "emq"],
    ["emq", "foreign", "emq"],
    ["{emq}:{x}", "reserve", "emq"],
    ["{emq}:\n", "reserve", "emq"],
    ["emq:{a}:\n", "queue", "a"],
    ["emq:{ }:}{", "queue", " "],
    ["emq:{\ufeff}:pending", "queue", "\ufeff"]
  ])("%j is %s", (key, space, tag) => {
    expect(locate(key)).toMatchObject({ space, hashtag: tag, slot: slot(tag) })
  })

  it.each([
    ["{emq}:version", "the version key (the fence)"],
    ["{emq}:registry", "cross-queue record"],
    ["emq:{orders}:pending", "the key of type pending of one queue, orders"],
    ["emq:{orders}:job:JOB0abc", "a job row of one queue, orders"],
    ["{emq}:", "bare reserve"],
    ["emq:{}:pending", "queue name is empty"],
    ["emq:{orders}:", "key type is empty"],
    ["emq:{orders}", "followed by no :"],
    ["emq:{orders", "no closing }"],
    ["emq:{a{b}:pending", "has a {"],
    ["bull:orders:wait", "neither with the reserve {emq}: nor with emq:{q}:"]
  ])("says why: %s", (key, why) => {
    expect(locate(key).why).toContain(why)
  })

  it("leaves parts that are not UTF-8 as they are", () => {
    const key = new Uint8Array([...toBytes("emq:{"), 0xff, ...toBytes("}:pending")])
    expect(locate(key)).toEqual({
      space: "queue",
      queue: new Uint8Array([0xff]),
      suffix: "pending",
      hashtag: new Uint8Array([0xff]),
      slot: slot(new Uint8Array([0xff])),
      why: "It is the key of type pending of one queue, \\xff, so it lives in that queue's space emq:{\\xff}: and shares the queue's hashtag and slot."
    })
    // U+FFFD itself is text: only what it stands in for is not.
    expect(parse(toBytes("emq:{\ufffd}:x"))).toEqual({ space: "queue", queue: "\ufffd", suffix: "x" })
    expect(locate(new Uint8Array([0xff])).hashtag).toEqual(new Uint8Array([0xff]))
  })

  it("never throws, and always says why in a short, printable sentence", () => {
    const near = fc
      .tuple(fc.constantFrom("", "{emq}:", "emq:{", "emq:{q}", "emq:{q}:"), fc.uint8Array({ maxLength: 100 }))
      .map(([prefix, rest]) => new Uint8Array([...toBytes(prefix), ...rest]))
    fc.assert(
      fc.property(near, (key) => {
        const { why, hashtag, slot: at, ...parsed } = locate(key)
        expect(parsed).toEqual(parse(key))
        expect(at).toBe(slot(hashtag))
        expect(why).toMatch(/^[\x20-\x7e]{1,900}$/)
      })
    )
  })

  it("gives text for text", () => {
    expectTypeOf(parse("x")).toEqualTypeOf<ParsedKey>()
    expectTypeOf(locate("x")).toEqualTypeOf<Location>()
    expectTypeOf(locate(new Uint8Array())).toEqualTypeOf<Location<string | Uint8Array>>()
    expectTypeOf(queueKey).returns.toEqualTypeOf<Result.Result<string, KeyRefused>>()
  })
})
