import { describe, expect, it } from "@effect/vitest"
import { ServerError } from "../src/CallError.ts"
import { VersionFence } from "../src/FatalError.ts"
import { CLUSTER_REFUSED, install, nativeVerb } from "../src/fence/Native.ts"
import { wire4 } from "../src/fence/Wire4.ts"
import { wire6 } from "../src/fence/Wire6.ts"
import { VERSION_KEY, WIRE_6 } from "../src/Wire.ts"

const of = (line: string) => ServerError.of(line)

const demoted = of("READONLY You can't write against a read only replica.")

const callers = [
  of("WRONGTYPE Operation against a key holding the wrong kind of value"),
  of("ERR unknown command 'FOO', with args beginning with: "),
  of("NOAUTH Authentication required."),
  of("LOADING Valkey is loading the dataset in memory"),
  of("READ ONLY"),
  of("EMQ.WIRE")
]

describe("an error that a caller is answered", () => {
  it.each([
    { name: "wire 4", machine: wire4 },
    { name: "wire 6", machine: wire6 }
  ])("$name: is the caller's alone, but for that of a demoted node", ({ machine }) => {
    expect(machine.served(demoted)).toEqual({ _tag: "Redial" })
    for (const error of callers) expect(machine.served(error)).toEqual({ _tag: "Keep" })
  })

  it("wire 4: the module's refusal is the caller's", () => {
    expect(wire4.served(of("EMQWIRE expected echomq:6.0.0 found echomq:4.0.0"))).toEqual({ _tag: "Keep" })
  })

  it.each([
    { line: "EMQWIRE expected echomq:6.0.0 but {emq}:version is absent", got: null },
    { line: "EMQWIRE expected echomq:6.0.0 found echomq:4.0.0", got: "echomq:4.0.0" },
    { line: "EMQWIRE expected echomq:6.0.0 found ", got: "" },
    {
      line: "EMQWIRE expected a standalone server found a cluster-enabled one",
      got: "EMQWIRE expected a standalone server found a cluster-enabled one"
    },
    { line: "EMQWIRE \u00e9\n", got: "EMQWIRE \\xc3\\xa9\\n" }
  ])("wire 6: $line", ({ got, line }) => {
    const error = of(line)
    expect(wire6.served(error)).toEqual({
      _tag: "Refuse",
      error: new VersionFence({ expected: WIRE_6, got, ...(got === null ? {} : { error }) })
    })
  })
})

describe("the lanes of the module", () => {
  it.each([
    { name: "a verb", machine: nativeVerb },
    { name: "EMQ.INSTALL", machine: install }
  ])("$name begins by reading the key", ({ machine }) => {
    expect(machine.start).toEqual({ _tag: "Send", command: ["GET", VERSION_KEY], state: "read" })
  })

  it("refuse a server that has slots", () => {
    expect(CLUSTER_REFUSED).toBe("EMQWIRE expected a standalone server found a cluster-enabled one")
  })
})
