import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { printable } from "../src/Printable.ts"
import { toBytes } from "../src/Utf8.ts"

type Row = { readonly stored?: unknown; readonly nativeVerb: { readonly error?: string } }

const rows: ReadonlyArray<Row> = JSON.parse(
  readFileSync(new URL("../../../vectors/fence.json", import.meta.url), "utf8")
)

describe("printable", () => {
  const shown = rows.flatMap(({ stored, nativeVerb }) =>
    typeof stored === "string" && nativeVerb.error !== undefined ? [{ stored, error: nativeVerb.error }] : []
  )

  it.each(shown)("fence.json: $stored", ({ stored, error }) => {
    expect(`EMQWIRE expected echomq:6.0.0 found ${printable(stored)}`).toBe(error)
  })

  it.each([
    ["", ""],
    [" ~", " ~"],
    ["\\", "\\\\"],
    ["\n\r\t", "\\n\\r\\t"],
    ["\0\x1f\x7f", "\\x00\\x1f\\x7f"],
    ["é", "\\xc3\\xa9"],
    ["\ufeff", "\\xef\\xbb\\xbf"],
    ["\ud800", "\\xef\\xbf\\xbd"],
    [new Uint8Array([0xff, 0xfe, 0x00, 0x41]), "\\xff\\xfe\\x00A"],
    ["a".repeat(64), "a".repeat(64)],
    ["a".repeat(65), `${"a".repeat(64)}...`],
    ["\n".repeat(65), `${"\\n".repeat(64)}...`],
    // 63 bytes, then a character of two: it is cut through its middle.
    [`${"a".repeat(63)}é`, `${"a".repeat(63)}\\xc3...`],
    [`${"a".repeat(64)}😀`, `${"a".repeat(64)}...`]
  ])("%j", (value, text) => {
    expect(printable(value)).toBe(text)
  })

  it("shows text as it shows its bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 100 }), (text) => {
        expect(printable(text)).toBe(printable(toBytes(text)))
      })
    )
  })

  it("is bounded printable ASCII, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = printable(bytes)
        expect(text).toMatch(/^[\x20-\x7e]*$/)
        expect(text.length).toBeLessThanOrEqual(64 * 4 + 3)
        expect(text.endsWith("...")).toBe(bytes.length > 64 || text.slice(-3) === "...")
      })
    )
  })

  it("tells values of up to 64 bytes apart", () => {
    const unescape = (text: string): Array<number> =>
      Array.from(text.matchAll(/\\x(..)|\\(.)|(.)/g), ([, hex, escape, plain]) =>
        hex !== undefined
          ? Number.parseInt(hex, 16)
          : escape !== undefined
            ? ({ n: 10, r: 13, t: 9 }[escape] ?? escape.charCodeAt(0))
            : (plain ?? "").charCodeAt(0)
      )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(unescape(printable(bytes))).toEqual(Array.from(bytes))
      })
    )
  })

  it("does not read a huge value to its end", () => {
    const huge = "x".repeat(200_000_000)
    expect(printable(huge)).toBe(`${"x".repeat(64)}...`)
  })
})
