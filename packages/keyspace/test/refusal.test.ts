import { describe, expect, it } from "@effect/vitest"
import { Refusal } from "../src/index.ts"
import { toBytes } from "../src/Utf8.ts"

describe("the word that a server reads", () => {
  it.each([
    ["select", "SELECT"],
    ["select\0", "SELECT"],
    [toBytes("select\0"), "SELECT"],
    // What follows the zero byte does not count, though it is no text.
    [new Uint8Array([...toBytes("select\0"), 0xff]), "SELECT"],
    ["\0", ""],
    [new Uint8Array(), ""],
    [undefined, ""]
  ])("%j", (part, word) => {
    expect(Refusal.wordOf(part)).toBe(word)
  })
})
