import { describe, expect, it } from "@effect/vitest"
import { Ledger } from "../src/ledger/Ledger.ts"
import { encode } from "../src/ledger/Value.ts"
import { verify } from "../src/ledger/verify.ts"

type Given = readonly [
  outcome: "acknowledged" | "unknown" | "not-applied" | "waiting",
  link?: number,
  size?: number
]

const ledgerOf = (...given: ReadonlyArray<Given>) => {
  const ledger = new Ledger("one")
  for (const [outcome, link = 0, size = 0] of given) {
    const [entry] = ledger.enter([size], link, false)
    if (entry !== undefined) entry.outcome = outcome
  }
  return ledger
}

const check = (given: ReadonlyArray<Given>, ...lists: ReadonlyArray<ReadonlyArray<string | number>>) =>
  verify(
    ledgerOf(...given),
    lists.map((list) => list.map(String))
  ).map((problem) => problem.replace(/: .*/, ""))

describe("what is found on servers, held against what callers know", () => {
  it("is right where acknowledged ≤ applied ≤ acknowledged + unknown", () => {
    expect(check([["acknowledged"], ["unknown"], ["not-applied"], ["unknown"]], [0, 3])).toEqual([])
    expect(check([["acknowledged"], ["acknowledged"]], [0], [1])).toEqual([])
    expect(check([["acknowledged", 0, 100]], [encode(0, 100)])).toEqual([])
  })

  it.each([
    ["acknowledged and lost", [["acknowledged"], ["acknowledged"]], [[1]]],
    ["applied 2 times", [["acknowledged"]], [[0, 0]]],
    ["applied 2 times", [["unknown"]], [[0], [0]]],
    ["applied against its word", [["not-applied"]], [[0]]],
    ["never settled", [["waiting"]], [[]]],
    ["a value that nobody wrote", [["unknown"]], [[1]]],
    ["a value that nobody wrote", [["unknown", 0, 10]], [["0:aaaa"]]],
    ["a value that nobody wrote", [], [["x"]]],
    ["out of order", [["unknown"], ["unknown"]], [[1, 0]]],
    [
      "out of order",
      [
        ["acknowledged", 0],
        ["acknowledged", 1]
      ],
      [[1, 0]]
    ],
    [
      "out of order",
      [
        ["acknowledged", 0],
        ["unknown", 1]
      ],
      [[1, 0]]
    ]
  ] as const)("finds: %s", (kind, given, lists) => {
    expect(check(given, ...lists)).toContain(kind)
  })

  it("lets an unknown write of a lost connection come late", () => {
    expect(
      check(
        [
          ["unknown", 0],
          ["acknowledged", 1]
        ],
        [1, 0]
      )
    ).toEqual([])
  })

  it("finds a reply that belongs to another write", () => {
    const ledger = ledgerOf(["acknowledged"], ["acknowledged"])
    for (const entry of ledger.entries) entry.position = 2 - entry.n
    expect(verify(ledger, [["0", "1"]]).join()).toContain("not where its reply said")
    for (const entry of ledger.entries) entry.position = entry.n + 1
    expect(verify(ledger, [["0", "1"]])).toEqual([])
  })

  it.each([
    [["0", "1", "2"], 0],
    [[], 0],
    [["0", "1"], 1],
    [["0", "3", "1", "2"], 1]
  ] as const)("finds a transaction in pieces: %j", (list, problems) => {
    const ledger = new Ledger("one")
    for (const entry of [...ledger.enter([0, 0, 0], 0, true), ...ledger.enter([0], 1, false)])
      entry.outcome = "unknown"
    expect(verify(ledger, [list])).toHaveLength(problems)
  })
})
