import { readFileSync } from "node:fs"
import { assert, describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { InexactInteger, ServerError } from "../src/CallError.ts"
import { AuthRefused, EmqAbsent, VersionFence } from "../src/FatalError.ts"
import type { Machine, Step } from "../src/fence/Machine.ts"
import { install, nativeVerb } from "../src/fence/Native.ts"
import { wire4 } from "../src/fence/Wire4.ts"
import { wire6 } from "../src/fence/Wire6.ts"
import { printable, printableError } from "../src/Printable.ts"
import type { Reply } from "../src/Reply.ts"
import { sameBytes, toBytes } from "../src/Utf8.ts"
import { WIRE_4, WIRE_6 } from "../src/Wire.ts"
import { node, type Played, play, type Stored, shipped, WRONGTYPE } from "./model/Node.ts"
import { replies } from "./replies.ts"

type Value = string | null | { readonly hex: string }

type ConnectorColumn = {
  readonly verdict: "run" | "refuse"
  readonly fatal?: string
  readonly gotPrefix?: string
  readonly after?: Value
  readonly wrote?: boolean
}

type ErrorColumn = { readonly error?: string; readonly errorPrefix?: string }

type Row = {
  readonly stored?: Value
  readonly storedType?: string
  readonly wire4: ConnectorColumn
  readonly nativeVerb: ErrorColumn & { readonly verdict: "run" | "refuse" }
  readonly wire6: ConnectorColumn
  readonly install: ErrorColumn & { readonly reply?: number; readonly after?: Value }
}

const rows: ReadonlyArray<Row> = JSON.parse(
  readFileSync(new URL("../../../vectors/fence.json", import.meta.url), "utf8")
)

const GET = "GET {emq}:version"
const CLAIM = "SET {emq}:version echomq:4.0.0 NX"
const INSTALL = "SET {emq}:version echomq:6.0.0"

const bytesOf = (value: Value): Uint8Array | null =>
  value === null
    ? null
    : typeof value === "string"
      ? toBytes(value)
      : new Uint8Array(Buffer.from(value.hex, "hex"))

const storedOf = (row: Row): Stored => {
  if (row.storedType !== undefined) return "other-type"
  assert(row.stored !== undefined)
  return bytesOf(row.stored)
}

const checkFence = (column: ConnectorColumn, expected: string, stored: Stored, error: unknown) => {
  assert(error instanceof VersionFence)
  expect(error).toMatchObject({ fatal: column.fatal, expected })
  expect(error.message.length).toBeLessThan(400)
  if (stored === "other-type") {
    assert(column.gotPrefix !== undefined)
    expect(error.got?.startsWith(column.gotPrefix)).toBe(true)
    expect(error).toMatchObject({ got: WRONGTYPE.message, error: WRONGTYPE })
    expect(error.bytes).toBeUndefined()
  } else {
    expect(error.got).toBe(stored === null ? null : printable(stored))
    expect(error.bytes).toEqual(stored ?? undefined)
    expect(error.error).toBeUndefined()
  }
}

const checkError = (column: ErrorColumn, error: ServerError) => {
  const prefix = column.error ?? column.errorPrefix
  assert(prefix !== undefined)
  expect(error.message.startsWith(prefix)).toBe(true)
  if (column.error !== undefined) expect(error.message).toBe(column.error)
  expect(error.code).toBe(prefix.startsWith("WRONGTYPE") ? "WRONGTYPE" : "EMQWIRE")
}

const wrote = (played: Played<unknown, unknown>, sets: ReadonlyArray<string>, after: Stored) => {
  expect(played.node).toEqual({ stored: after, writes: sets.length })
  expect(played.sent.filter((line) => line.startsWith("SET"))).toEqual(sets)
}

describe.each(rows.map((row) => ({ name: JSON.stringify(row.stored ?? row.storedType ?? null), row })))(
  "fence.json: $name",
  ({ row }) => {
    const stored = storedOf(row)

    it("wire 4", () => {
      const played = play(wire4, node(stored))
      const { end, sent } = played
      if (row.wire4.verdict === "run") expect(end._tag).toBe("Pass")
      else {
        assert(end._tag === "Refuse")
        checkFence(row.wire4, WIRE_4, stored, end.error)
      }
      const after = row.wire4.after === undefined ? stored : bytesOf(row.wire4.after)
      wrote(played, row.wire4.wrote === true ? [CLAIM] : [], after)
      expect(sent).toEqual(stored === null ? [GET, CLAIM, GET] : [GET])
    })

    it("native verb", () => {
      const played = play(nativeVerb, node(stored))
      if (row.nativeVerb.verdict === "run") expect(played.end._tag).toBe("Pass")
      else {
        assert(played.end._tag === "Refuse")
        checkError(row.nativeVerb, played.end.error)
      }
      wrote(played, [], stored)
      expect(played.sent).toEqual([GET])
    })

    it("wire 6", () => {
      const played = play(wire6, node(stored))
      if (row.wire6.verdict === "run")
        expect(played.end).toMatchObject({ _tag: "Pass", value: { wire: WIRE_6 } })
      else {
        assert(played.end._tag === "Refuse")
        checkFence(row.wire6, WIRE_6, stored, played.end.error)
      }
      wrote(played, [], stored)
      expect(played.sent).toEqual(["EMQ.VERSION", GET])
    })

    it("install", () => {
      const played = play(install, node(stored))
      if (row.install.reply !== undefined) {
        expect(played.end).toEqual({ _tag: "Pass", value: row.install.reply })
      } else {
        assert(played.end._tag === "Refuse")
        checkError(row.install, played.end.error)
      }
      const after = row.install.after === undefined ? stored : bytesOf(row.install.after)
      wrote(played, row.install.reply === 1 ? [INSTALL] : [], after)
      expect(played.sent).toEqual(row.install.reply === 1 ? [GET, INSTALL] : [GET])
    })
  }
)

/** A value of a megabyte, neither short nor UTF-8. */
const huge = new Uint8Array(1_000_000).fill(0xff)

describe("a huge value", () => {
  it("is kept whole by a connector's refusal, and told shortly", () => {
    for (const { end } of [play(wire4, node(huge)), play(wire6, node(huge))]) {
      assert(end._tag === "Refuse")
      assert(end.error instanceof VersionFence)
      expect(end.error.message.length).toBeLessThan(400)
      expect(end.error.bytes).toBe(huge)
    }
  })

  it("is told shortly by the module", () => {
    for (const { end } of [play(nativeVerb, node(huge)), play(install, node(huge))]) {
      assert(end._tag === "Refuse")
      expect(end.error.message).toBe(`EMQWIRE expected echomq:6.0.0 found ${"\\xff".repeat(64)}...`)
    }
  })

  it("may be an error, too", () => {
    const long = ServerError.of(`WRONGTYPE ${"\n".repeat(1_000_000)}`)
    const { end } = play(wire4, node(null), () => long)
    assert(end._tag === "Refuse")
    expect(end.error.message.length).toBeLessThan(600)
    expect(end.error.message).toMatch(/^[\x20-\x7e]+$/)
    expect(end.error).toMatchObject({ error: long })
  })
})

describe("a claim that the server refuses", () => {
  const denied = ServerError.of("NOPERM No permissions to access a key")
  const deny = (line: string) => (line === CLAIM ? denied : undefined)

  it("ends in a version fence that got null, and says why", () => {
    const { end, node: after, sent } = play(wire4, node(null), deny)
    assert(end._tag === "Refuse")
    expect(end.error).toEqual(new VersionFence({ expected: WIRE_4, got: null, error: denied }))
    expect(end.error.message).toBe(
      "expected echomq:4.0.0 but {emq}:version is absent; the claim got: NOPERM No permissions to access a key"
    )
    expect(after).toEqual(node(null))
    expect(sent).toEqual([GET, CLAIM, GET])
  })

  it("runs where another's claim stands by then: the confirming GET decides", () => {
    const claimed = follow(wire4, [null, denied, toBytes(WIRE_4)])
    expect(claimed).toMatchObject({ _tag: "Pass" })
  })

  it("is told beside another's value, too", () => {
    const step = follow(wire4, [null, denied, toBytes(WIRE_6)])
    expect(step).toEqual({
      _tag: "Refuse",
      error: new VersionFence({ expected: WIRE_4, got: WIRE_6, bytes: toBytes(WIRE_6), error: denied })
    })
  })

  it.each(["OK", null, 7, toBytes("OK"), ["OK"], {}])("decides nothing: %j", (reply) => {
    expect(follow(wire4, [null, reply])).toMatchObject({ _tag: "Send", command: ["GET", "{emq}:version"] })
    expect(follow(wire4, [null, reply, WIRE_4])).toMatchObject({ _tag: "Pass" })
    expect(follow(wire4, [null, reply, WIRE_6])).toMatchObject({ _tag: "Refuse" })
  })
})

type AnyMachine = Machine<unknown, unknown, unknown>

/** What a machine does after these replies. */
const follow = <State, Pass, Refusal>(
  machine: Machine<State, Pass, Refusal>,
  given: ReadonlyArray<Reply>
) => {
  let step: Step<State, Pass, Refusal> = machine.start
  for (const reply of given) {
    assert(step._tag === "Send")
    step = machine.next(step.state, reply)
  }
  return step
}

/** Every state in which a connector waits for a reply, as the replies that lead there. */
const waits: ReadonlyArray<readonly [string, AnyMachine, ReadonlyArray<Reply>]> = [
  ["wire 4, read", wire4 as AnyMachine, []],
  ["wire 4, claim", wire4 as AnyMachine, [null]],
  ["wire 4, confirm", wire4 as AnyMachine, [null, "OK"]],
  ["wire 4, confirm after a refused claim", wire4 as AnyMachine, [null, ServerError.of("NOPERM no")]],
  ["wire 6, module", wire6 as AnyMachine, []],
  ["wire 6, read", wire6 as AnyMachine, [shipped]]
]

const transients = [
  "LOADING Valkey is loading the dataset in memory",
  "BUSY Valkey is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
  "TRYAGAIN Multiple keys request during rehashing of slot",
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  "CLUSTERDOWN Hash slot not served",
  "CLUSTERDOWN",
  "ERR max number of clients reached",
  "ERR max number of clients reached, try later"
].map(ServerError.of)

describe.each(waits)("%s", (_, machine, before) => {
  it.each(transients)("$message: not ready", (error) => {
    expect(follow(machine, [...before, error])).toEqual({ _tag: "NotReady", error })
  })

  it.each([
    "LOADINGS x",
    "BUSYGROUP Consumer Group name already exists",
    "BUSYKEY Target key name already exists.",
    "ERR max number of clients",
    "ERR LOADING",
    "READONLY You can't write against a read only replica.",
    "OOM command not allowed when used memory > 'maxmemory'.",
    "MOVED 9051 127.0.0.1:7001",
    ""
  ])("%j changes by no waiting", (message) => {
    expect(follow(machine, [...before, ServerError.of(message)])._tag).not.toBe("NotReady")
  })

  it("NOAUTH: the server asks for credentials", () => {
    const message = "NOAUTH Authentication required."
    expect(follow(machine, [...before, ServerError.of(message)])).toEqual({
      _tag: "Refuse",
      error: new AuthRefused({ message })
    })
  })
})

describe("wire 6: an unknown command", () => {
  const error = ServerError.of("ERR unknown command 'GET', with args beginning with: '{emq}:version' ")

  it("means that the module is absent, where it is EMQ.VERSION", () => {
    expect(follow(wire6, [error])).toEqual({
      _tag: "Refuse",
      error: new EmqAbsent({ message: error.message })
    })
    expect(follow(wire6, [ServerError.of("ERR unknown subcommand")])).toMatchObject({
      error: { fatal: "emq_version" }
    })
  })

  it("is what the fence got, where it is GET", () => {
    expect(follow(wire6, [shipped, error])).toEqual({
      _tag: "Refuse",
      error: new VersionFence({ expected: WIRE_6, got: printableError(error), error })
    })
  })
})

/** The states in which the reply to `GET {emq}:version` decides. */
const reads = [
  ...waits
    .filter(([name]) => /read|confirm/.test(name))
    .map(
      ([name, machine, before]) =>
        [name, machine, before, name.startsWith("wire 4") ? WIRE_4 : WIRE_6] as const
    ),
  ["native verb", nativeVerb as AnyMachine, [], WIRE_6] as const,
  ["install", install as AnyMachine, [], WIRE_6] as const
]

const isRight = (reply: Reply, wire: string) =>
  (typeof reply === "string" || reply instanceof Uint8Array) && sameBytes(reply, wire)

describe.each(reads)("%s: GET", (_, machine, before, wire) => {
  it.each<[string, Reply]>([
    ["a number", 6],
    ["a number", 0.5],
    ["a number", 4n],
    ["a number", new InexactInteger({ command: "GET", near: 2 ** 63 })],
    ["an array", []],
    ["an array", [wire]],
    ["a map", {}],
    ["a map", { [wire]: wire }],
    ["a map", Object.create(null)]
  ])("refuses %s", (got, reply) => {
    const step = follow(machine, [...before, reply])
    assert(step._tag === "Refuse")
    expect((step.error as Error).message).toContain(`found ${got}`)
  })

  it("takes the wire as text and as bytes", () => {
    for (const reply of [wire, toBytes(wire), Buffer.from(wire)]) {
      expect(follow(machine, [...before, reply])._tag).toBe("Pass")
    }
  })

  it.each([
    "",
    `${wire}\0`,
    `\0${wire}`,
    `\ufeff${wire}`,
    ` ${wire}`,
    wire.slice(0, -1),
    wire.toUpperCase(),
    `${wire}\ud800`
  ])("refuses %j", (text) => {
    for (const reply of [text, toBytes(text)]) expect(follow(machine, [...before, reply])._tag).toBe("Refuse")
  })

  it("never throws, and runs on its own wire only", () => {
    fc.assert(
      fc.property(fc.oneof(replies, fc.uint8Array(), fc.constant(wire)), (reply) => {
        const step = follow(machine, [...before, reply])
        expect(step._tag === "Pass").toBe(isRight(reply, wire))
        if (step._tag === "Refuse") expect((step.error as Error).message.length).toBeLessThan(1_000)
      })
    )
  })
})
