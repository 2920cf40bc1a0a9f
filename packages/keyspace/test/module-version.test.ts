import { readFileSync } from "node:fs"
import { assert, describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { ServerError } from "../src/CallError.ts"
import { JOB_CORE } from "../src/Capability.ts"
import { ClientRule, EmqAbsent, EmqVersion } from "../src/FatalError.ts"
import { wire6 } from "../src/fence/Wire6.ts"
import { clientRule, decode, type ModuleReport } from "../src/ModuleVersion.ts"
import type { Reply } from "../src/Reply.ts"
import { toBytes } from "../src/Utf8.ts"
import { WIRE_6 } from "../src/Wire.ts"
import { node, play, shipped } from "./model/Node.ts"

type Row = {
  readonly name: string
  readonly reply?: Reply
  readonly flat?: ReadonlyArray<Reply>
  readonly error?: string
  readonly verdict: "pass" | "r14" | "emq_version" | "emq_absent" | "retry"
}

const rows: ReadonlyArray<Row> = JSON.parse(
  readFileSync(new URL("../../../vectors/module-version.json", import.meta.url), "utf8")
)

type Entries = { readonly [name: string]: Reply }

const isMap = (reply: Reply | undefined): reply is Entries =>
  typeof reply === "object" && reply !== null && !Array.isArray(reply)

/** The same reply with each of its strings as bytes. */
const asBytes = (reply: Reply): Reply =>
  typeof reply === "string"
    ? toBytes(reply)
    : Array.isArray(reply)
      ? reply.map(asBytes)
      : isMap(reply)
        ? Object.fromEntries(Object.entries(reply).map(([name, value]) => [name, asBytes(value)]))
        : reply

/** A map as RESP3 gives it, as RESP2 does, and as a link does that was asked for bytes. */
const formsOf = (map: Entries): ReadonlyArray<readonly [string, Reply]> => [
  ["record", map],
  ["record without a prototype", Object.assign(Object.create(null), map)],
  ["record of bytes", asBytes(map)],
  ["flat list", Object.entries(map).flat()],
  ["flat list of bytes", asBytes(Object.entries(map).flat())],
  ["pairs", Object.entries(map)],
  ["pairs of bytes", asBytes(Object.entries(map))]
]

const cases = rows.flatMap((row) => {
  const forms: ReadonlyArray<readonly [string, Reply]> =
    row.error !== undefined
      ? [["error", ServerError.of(row.error)]]
      : row.flat !== undefined
        ? [
            ["flat list", row.flat],
            ["flat list of bytes", asBytes(row.flat)]
          ]
        : isMap(row.reply)
          ? formsOf(row.reply)
          : [["value", row.reply ?? null]]
  return forms.map(([form, reply]) => ({ name: row.name, form, reply, row }))
})

/** What each refused row differs in. */
const differences: Record<string, Partial<ClientRule>> = {
  "another wire": { wire: { expected: WIRE_6, got: "echomq:7.0.0" }, missing: [] },
  "wire 4": { wire: { expected: WIRE_6, got: "echomq:4.0.0" }, missing: [] },
  "another major": { major: { expected: 0, got: 1 }, missing: [] },
  "one token missing": { missing: ["stalled.check"] },
  "no token": { missing: JOB_CORE },
  "bus tokens only": { missing: JOB_CORE }
}

/** What each malformed row is said to be. */
const malformations: Record<string, string> = {
  "no wire": "no wire",
  "no build entry": "no build",
  "major as a string": "module_major as a string, which is no exact integer",
  "capabilities as a string": "capabilities as a string, which is no list",
  "a token that is no string": "capabilities with a number in place 15, which is no text",
  "wire null": "wire as null, which is no text",
  "an integer": "a number",
  null: "null",
  "empty map": "no wire",
  "a list of odd length": "a list of odd length 3"
}

describe("module-version.json", () => {
  it.each(cases)("$name ($form): $row.verdict", ({ name, reply, row }) => {
    const { end, sent } = play(wire6, node(WIRE_6), (line) => (line === "EMQ.VERSION" ? reply : undefined))
    expect(sent).toEqual(row.verdict === "pass" ? ["EMQ.VERSION", "GET {emq}:version"] : ["EMQ.VERSION"])
    switch (row.verdict) {
      case "pass": {
        assert(end._tag === "Pass" && isMap(row.reply))
        const { module_version: version, module_major: major, epoch: _, ...same } = row.reply
        expect(end.value).toEqual({ ...same, version, major })
        break
      }
      case "retry":
        expect(end).toEqual({ _tag: "NotReady", error: reply })
        break
      case "r14": {
        assert(end._tag === "Refuse" && end.error instanceof ClientRule)
        expect(differences).toHaveProperty([name])
        const { _tag, fatal, wire, major, missing } = end.error
        expect({ wire, major, missing }).toEqual({ wire: undefined, major: undefined, ...differences[name] })
        expect({ _tag, fatal }).toEqual({ _tag: "ClientRule", fatal: "r14" })
        break
      }
      case "emq_version":
        assert(end._tag === "Refuse" && end.error instanceof EmqVersion)
        expect(end.error.fatal).toBe("emq_version")
        expect(end.error.message).toBe(row.error ?? `EMQ.VERSION replied ${malformations[name]}`)
        break
      case "emq_absent":
        assert(end._tag === "Refuse" && end.error instanceof EmqAbsent)
        expect(end.error).toMatchObject({ fatal: "emq_absent", message: row.error })
    }
  })
})

const report = (change: Partial<ModuleReport>): ModuleReport => ({
  wire: WIRE_6,
  module: "trafikey",
  version: "0.1.0",
  major: 0,
  build: null,
  capabilities: JOB_CORE,
  ...change
})

describe("the client rule", () => {
  it("names all that differs, and nothing else", () => {
    const worst = report({ wire: "echomq:7\n", major: -1, capabilities: ["claim", "publish", "CLAIM.PAUSE"] })
    const error = Result.getOrThrow(Result.flip(clientRule(worst)))
    const missing = JOB_CORE.filter((token) => token !== "claim")
    expect(error).toEqual(
      new ClientRule({
        wire: { expected: WIRE_6, got: "echomq:7\\n" },
        major: { expected: 0, got: -1 },
        missing
      })
    )
    expect(error.message).toBe(
      `expected wire echomq:6.0.0, found echomq:7\\n; expected major 0, found -1; missing ${missing.join(" ")}`
    )
  })

  it.each(JOB_CORE)("requires %s", (token) => {
    const without = report({ capabilities: JOB_CORE.filter((other) => other !== token) })
    expect(clientRule(without)).toEqual(Result.fail(new ClientRule({ missing: [token] })))
  })

  it("compares neither the module's name, nor its version, nor its build", () => {
    const other = report({ module: "", version: "9.9.9", build: "\ud800" })
    expect(clientRule(other)).toEqual(Result.succeed(other))
  })
})

const refused = (reply: Reply): string => Result.getOrThrow(Result.flip(decode(reply))).message

describe("decode", () => {
  const entries = Object.entries(shipped)

  it("passes over entries beyond the six, whatever they are named", () => {
    const more: ReadonlyArray<readonly [Reply, Reply]> = [
      ["__proto__", { wire: "echomq:4.0.0" }],
      ["constructor", null],
      [new Uint8Array([0xff]), 1],
      [7, []],
      [null, null],
      ["epoch", 1],
      ["epoch", 2],
      ["WIRE", "echomq:4.0.0"]
    ]
    for (const list of [
      [...more, ...entries],
      [...entries, ...more]
    ]) {
      expect(decode(list.flat())).toEqual(decode(shipped))
      expect(decode(list)).toEqual(decode(shipped))
    }
  })

  it("takes a list for pairs only where each element is one", () => {
    expect(refused(["ab", "cd", "ef"])).toBe("EMQ.VERSION replied a list of odd length 3")
    expect(refused([["wire"], ["module"], ["build"]])).toBe("EMQ.VERSION replied a list of odd length 3")
    expect(refused([["wire", "echomq:6.0.0"], "module", "trafikey"])).toBe(
      "EMQ.VERSION replied a list of odd length 3"
    )
  })

  it("takes no value of a flat list for a name", () => {
    const named = { ...shipped, module: "wire", module_version: "build" }
    expect(decode(Object.entries(named).flat())).toEqual(decode(named))
  })

  it("says of an error in an entry's place that it is one", () => {
    expect(refused({ ...shipped, wire: ServerError.of("ERR no wire") })).toBe(
      "EMQ.VERSION replied wire as an error, which is no text"
    )
  })

  it("takes no entry from a prototype", () => {
    expect(refused(Object.create(shipped))).toBe("EMQ.VERSION replied no wire")
    expect(refused({ ["__proto__"]: shipped })).toBe("EMQ.VERSION replied no wire")
    expect(refused(["__proto__", shipped])).toBe("EMQ.VERSION replied no wire")
  })

  it.each(entries)("refuses %s twice, even where the two agree", (name, value) => {
    for (const key of [name, toBytes(name)]) {
      expect(refused([...entries.flat(), key, value])).toBe(`EMQ.VERSION replied ${name} twice`)
      expect(refused([...entries, [key, value]])).toBe(`EMQ.VERSION replied ${name} twice`)
    }
  })

  it.each(entries)("refuses a reply without %s", (name) => {
    expect(refused(Object.fromEntries(entries.filter(([other]) => other !== name)))).toBe(
      `EMQ.VERSION replied no ${name}`
    )
  })

  it("reads integers of any kind that are exact, and no others", () => {
    for (const major of [0, 0n, -0]) {
      expect(decode({ ...shipped, module_major: major })).toEqual(
        decode({ ...shipped, module_major: Number(major) })
      )
    }
    for (const major of [
      0.5,
      2 ** 53,
      2n ** 64n,
      Number.NaN,
      Infinity,
      "0",
      null,
      [0],
      ServerError.of("ERR")
    ]) {
      expect(refused({ ...shipped, module_major: major })).toContain("which is no exact integer")
    }
  })

  it("refuses text that is not UTF-8", () => {
    const broken = new Uint8Array([0xc0, 0x80])
    expect(refused({ ...shipped, wire: broken })).toBe(
      "EMQ.VERSION replied wire as a string, which is no text"
    )
    expect(refused({ ...shipped, build: broken })).toContain("build as a string, which is no text")
    expect(refused({ ...shipped, capabilities: [broken] })).toContain("capabilities with a string in place 1")
  })

  it("tells an error reply in the server's words, cut short", () => {
    expect(refused(ServerError.of("NOPERM no"))).toBe("NOPERM no")
    expect(refused(ServerError.of(`ERR ${"x".repeat(1_000_000)}`))).toBe(`ERR ${"x".repeat(252)}...`)
  })
})
