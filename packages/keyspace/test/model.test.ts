import { describe, expect, it } from "@effect/vitest"
import { type Machine, pass, refuse, send } from "../src/fence/Machine.ts"
import { install, nativeVerb } from "../src/fence/Native.ts"
import { mismatch } from "../src/fence/Stored.ts"
import { type Wire4Refusal, type Wire4State, wire4 } from "../src/fence/Wire4.ts"
import { wire6 } from "../src/fence/Wire6.ts"
import { VERSION_KEY, WIRE_4, WIRE_6 } from "../src/Wire.ts"
import { explore, type Party, party } from "./model/explore.ts"
import { node } from "./model/Node.ts"

type Wire4 = Machine<Wire4State, void, Wire4Refusal>

const claimers = (machine: Wire4) => ["a", "b", "c"].map((name) => party("wire4", machine, name))

const five = [...claimers(wire4), party("wire6", wire6), party("install", install)]

const OTHER = "bullmq:5.1.0"

describe("3 wire-4 connectors, 1 wire-6 connector and 1 install", () => {
  it.each([
    { start: null, states: 1048, transitions: 3120, interleavings: 293_094 },
    { start: WIRE_4, states: 48, transitions: 128, interleavings: 360 },
    { start: WIRE_6, states: 48, transitions: 128, interleavings: 360 },
    { start: OTHER, states: 48, transitions: 128, interleavings: 360 },
    { start: "other-type" as const, states: 48, transitions: 128, interleavings: 360 }
  ])(
    "agree on a node that holds $start: $states states, $transitions transitions, $interleavings interleavings",
    ({ start, ...counts }) => {
      const { ends: _, ...explored } = explore(five, node(start))
      expect(explored).toEqual({ ...counts, violation: null })
    }
  )

  it("end in every way that the protocol allows, and in no other", () => {
    const ends = (start: string | null) => explore(five, node(start)).ends
    expect(ends(null)).toEqual([
      "echomq:4.0.0: a b c run",
      "echomq:6.0.0: install run",
      "echomq:6.0.0: wire6 install run"
    ])
    expect(ends(WIRE_4)).toEqual(["echomq:4.0.0: a b c run"])
    expect(ends(WIRE_6)).toEqual(["echomq:6.0.0: wire6 install run"])
    expect(ends(OTHER)).toEqual(["bullmq:5.1.0: none run"])
    expect(ends("other-type")).toEqual(["other-type: none run"])
  })
})

describe("with a native verb and a second install beside them", () => {
  const seven = [...five, party("verb", nativeVerb), party("install", install, "again")]

  it.each([
    { start: null, states: 7728, transitions: 28_968 },
    { start: WIRE_4, states: 192, transitions: 704 },
    { start: WIRE_6, states: 192, transitions: 704 },
    { start: OTHER, states: 192, transitions: 704 }
  ])(
    "they agree on a node that holds $start: $states states, $transitions transitions",
    ({ start, ...counts }) => {
      expect(explore(seven, node(start))).toMatchObject({ ...counts, violation: null })
    }
  )
})

/** What the checker finds wrong, for each of the nodes that the right machines were explored on. */
const found = (parties: ReadonlyArray<Party>) =>
  [null, WIRE_4, WIRE_6, OTHER].map((start) => explore(parties, node(start)).violation)

const withWire4 = (next: Wire4["next"]) =>
  found([...claimers({ start: wire4.start, next }), party("wire6", wire6), party("install", install)])

const withWire6 = (next: typeof wire6.next) =>
  found([...claimers(wire4), party("wire6", { start: wire6.start, next }), party("install", install)])

const readsNull = "GET {emq}:version -> null"
const installs = `install: ${readsNull}, SET {emq}:version echomq:6.0.0 -> OK: Pass`

describe("a broken machine is caught", () => {
  it("wire 4 that skips the confirming GET: whatever the claim's reply, it runs", () => {
    expect(
      withWire4((state, reply) => (state.at === "claim" ? pass(undefined) : wire4.next(state, reply)))
    ).toEqual([
      {
        problem: "a runs on a node that holds echomq:6.0.0",
        trace: [`a: ${readsNull}`, installs, "a: SET {emq}:version echomq:4.0.0 NX -> null: Pass"]
      },
      null,
      null,
      null
    ])
  })

  it("wire 4 that believes the claim's reply: it turns away where its own wire won", () => {
    const believes: Wire4["next"] = (state, reply) => {
      if (state.at !== "claim") return wire4.next(state, reply)
      return reply === null ? refuse(mismatch(WIRE_4, null)) : pass(undefined)
    }
    expect(withWire4(believes)).toEqual([
      {
        problem: "b was refused by its own wire",
        trace: [
          `a: ${readsNull}`,
          `b: ${readsNull}`,
          "a: SET {emq}:version echomq:4.0.0 NX -> OK: Pass",
          "b: SET {emq}:version echomq:4.0.0 NX -> null: Refuse",
          "c: GET {emq}:version -> echomq:4.0.0: Pass",
          "wire6: EMQ.VERSION -> …",
          "wire6: GET {emq}:version -> echomq:4.0.0: Refuse",
          "install: GET {emq}:version -> echomq:4.0.0: Refuse"
        ]
      },
      null,
      null,
      null
    ])
  })

  it("wire 4 that claims without NX", () => {
    const claims: Wire4["next"] = (state, reply) =>
      state.at === "read" && reply === null
        ? send({ at: "claim" }, "SET", VERSION_KEY, WIRE_4)
        : wire4.next(state, reply)
    expect(withWire4(claims)).toEqual([
      {
        problem: "two writes landed",
        trace: [`a: ${readsNull}`, installs, "a: SET {emq}:version echomq:4.0.0 -> OK"]
      },
      null,
      null,
      null
    ])
  })

  it("wire 4 that claims what is not absent", () => {
    const claims: Wire4["next"] = (state, reply) =>
      state.at === "read" ? send({ at: "claim" }, "SET", VERSION_KEY, WIRE_4) : wire4.next(state, reply)
    expect(withWire4(claims).map((violation) => violation?.problem)).toEqual([
      "two writes landed",
      "a write landed on a node that held echomq:4.0.0",
      "a write landed on a node that held echomq:6.0.0",
      "a write landed on a node that held bullmq:5.1.0"
    ])
  })

  it("wire 4 that tries again where it is refused", () => {
    const retries: Wire4["next"] = (state, reply) => {
      const step = wire4.next(state, reply)
      return step._tag === "Refuse" ? wire4.start : step
    }
    const [absent, ...others] = withWire4(retries)
    expect(absent).toMatchObject({ problem: "a hangs" })
    expect(absent?.trace).toContain(installs)
    expect(absent?.trace.at(-1)).toBe("a: GET {emq}:version -> echomq:6.0.0")
    expect(others).toEqual([
      null,
      { problem: "a hangs", trace: ["a: GET {emq}:version -> echomq:6.0.0"] },
      { problem: "a hangs", trace: ["a: GET {emq}:version -> bullmq:5.1.0"] }
    ])
  })

  it("wire 4 that runs whatever the confirming GET says", () => {
    expect(
      withWire4((state, reply) => (state.at === "confirm" ? pass(undefined) : wire4.next(state, reply)))
    ).toEqual([
      {
        problem: "a runs on a node that holds echomq:6.0.0",
        trace: [
          `a: ${readsNull}`,
          installs,
          "a: SET {emq}:version echomq:4.0.0 NX -> null",
          "a: GET {emq}:version -> echomq:6.0.0: Pass"
        ]
      },
      null,
      null,
      null
    ])
  })

  it("wire 6 that writes its wire where it is absent", () => {
    expect(
      withWire6((state, reply) =>
        state.at === "read" && reply === null
          ? send(state, "SET", VERSION_KEY, WIRE_6, "NX")
          : wire6.next(state, reply)
      )
    ).toEqual([
      {
        problem: "wire6 wrote",
        trace: [
          "wire6: EMQ.VERSION -> …",
          `wire6: ${readsNull}`,
          "wire6: SET {emq}:version echomq:6.0.0 NX -> OK: Refuse"
        ]
      },
      null,
      null,
      null
    ])
  })

  it("wire 6 that runs where the key is absent", () => {
    expect(
      withWire6((state, reply) =>
        state.at === "read" && reply === null ? pass(state.module) : wire6.next(state, reply)
      )
    ).toEqual([
      {
        problem: "wire6 runs on a node that holds null",
        trace: ["wire6: EMQ.VERSION -> …", `wire6: ${readsNull}: Pass`]
      },
      null,
      null,
      null
    ])
  })

  it("an install that writes without looking", () => {
    const blind: typeof install = { ...install, start: send("write", "SET", VERSION_KEY, WIRE_6) }
    expect(
      found([...claimers(wire4), party("wire6", wire6), party("install", blind)]).map(
        (violation) => violation?.problem
      )
    ).toEqual([
      "two writes landed",
      "a write landed on a node that held echomq:4.0.0",
      "a write landed on a node that held echomq:6.0.0",
      "a write landed on a node that held bullmq:5.1.0"
    ])
  })
})
