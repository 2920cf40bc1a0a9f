import fc from "fast-check"
import { InexactInteger, ServerError } from "../src/CallError.ts"
import type { Reply } from "../src/Reply.ts"

/** Names that mean something to JavaScript objects, or to `EMQ.VERSION`. */
export const names = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty", "length", "then", ""),
  fc.constantFrom("wire", "module", "module_version", "module_major", "build", "capabilities"),
  fc.string({ unit: "binary", maxLength: 8 })
)

const numbers = fc.oneof(
  fc.integer({ min: -1, max: 2 }),
  fc.double(),
  fc.constantFrom(-0, 0.5, 2 ** 53, -(2 ** 53), Number.MAX_VALUE, Infinity, Number.NaN)
)

const bigints = fc.oneof(
  fc.bigInt({ min: -1n, max: 1n }),
  fc.constantFrom(2n ** 53n, 2n ** 64n, -(2n ** 200n))
)

const errors = fc
  .oneof(fc.constantFrom("ERR", "WRONGTYPE Operation", "LOADING", ""), fc.string({ maxLength: 12 }))
  .map(ServerError.of)

const leaves: fc.Arbitrary<Reply> = fc.oneof(
  fc.constant(null),
  names,
  numbers,
  bigints,
  fc.uint8Array({ maxLength: 8 }),
  errors,
  fc.constant(new InexactInteger({ command: "EMQ.VERSION", near: 2 ** 63 }))
)

/** A record of own entries, `__proto__` included, with or without a prototype. */
const record = (entries: ReadonlyArray<readonly [string, Reply]>, bare: boolean): Reply =>
  bare ? Object.assign(Object.create(null), Object.fromEntries(entries)) : Object.fromEntries(entries)

/** Anything that a link can hand over, however little sense it makes. */
export const replies: fc.Arbitrary<Reply> = fc.letrec<{ reply: Reply }>((tie) => ({
  reply: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    leaves,
    fc.array(tie("reply"), { maxLength: 6 }),
    fc
      .tuple(fc.array(fc.tuple(names, tie("reply")), { maxLength: 6 }), fc.boolean())
      .map(([entries, bare]) => record(entries, bare))
  )
})).reply
