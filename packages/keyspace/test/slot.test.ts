import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { hashtag, SLOTS, slot } from "../src/Slot.ts"
import { toBytes } from "../src/Utf8.ts"

type Row = { readonly key: string; readonly hashtag: string; readonly slot: number }

const rows: ReadonlyArray<Row> = JSON.parse(
  readFileSync(new URL("../../../vectors/keys.json", import.meta.url), "utf8")
)

describe("slot", () => {
  it.each(rows)("keys.json: $key", (row) => {
    expect(slot(row.key)).toBe(row.slot)
    expect(slot(toBytes(row.key))).toBe(row.slot)
    expect(hashtag(row.key)).toEqual(toBytes(row.hashtag))
  })

  // CRC-16/XMODEM's published check value is 0x31c3; the others are what CLUSTER KEYSLOT of a real Valkey answers.
  it.each([
    ["123456789", 0x31c3],
    ["foo", 12182],
    ["bar", 5061],
    ["{user1000}.following", 3443],
    ["{user1000}.followers", 3443],
    ["foo{}{bar}", 8363],
    ["foo{{bar}}zap", 4015],
    ["foo{bar}{zap}", 5061],
    ["}foo{", 8453],
    ["é", 10180]
  ])("%s is in %i", (key, expected) => {
    expect(slot(key)).toBe(expected)
  })

  it("takes bytes that are not UTF-8", () => {
    expect(slot(new Uint8Array([0x61, 0x7b, 0xff, 0x7d]))).toBe(slot(new Uint8Array([0xff])))
  })

  it("is in range, and the hashtag's own", () => {
    const tag = fc
      .uint8Array({ minLength: 1 })
      .filter((bytes) => !bytes.includes(0x7b) && !bytes.includes(0x7d))
    fc.assert(
      fc.property(tag, fc.uint8Array(), (bytes, rest) => {
        const key = new Uint8Array([0x7b, ...bytes, 0x7d, ...rest])
        expect(slot(key)).toBe(slot(bytes))
        expect(slot(key)).toBeGreaterThanOrEqual(0)
        expect(slot(key)).toBeLessThan(SLOTS)
      })
    )
  })
})
