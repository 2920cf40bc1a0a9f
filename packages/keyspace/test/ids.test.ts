import { readFileSync } from "node:fs"
import { assert, describe, expect, expectTypeOf, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"
import fc from "fast-check"
import {
  BrandedId,
  check,
  checkJob,
  decode,
  encode,
  type IdRefused,
  JobId,
  mintedAt
} from "../src/BrandedId.ts"

type Row = {
  readonly id: string
  readonly namespace?: string
  readonly number?: string
  readonly unixMs?: number
  readonly refused?: string
}

const rows: ReadonlyArray<Row> = JSON.parse(
  readFileSync(new URL("../../../vectors/ids.json", import.meta.url), "utf8")
)

const success = <A, E>(result: Result.Result<A, E>): A => {
  assert(Result.isSuccess(result))
  return result.success
}

const failure = <A, E>(result: Result.Result<A, E>): E => {
  assert(Result.isFailure(result))
  return result.failure
}

const namespaces = fc.stringMatching(/^[A-Z]{3}$/)
const numbers = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })

describe("ids.json", () => {
  it.each(rows.filter((row) => row.refused === undefined))("$id is valid", (row) => {
    const id = success(check(row.id))
    expect(decode(id)).toEqual({ namespace: row.namespace, number: BigInt(row.number ?? "") })
    expect(encode(row.namespace ?? "", BigInt(row.number ?? ""))).toEqual(Result.succeed(row.id))
    if (row.unixMs !== undefined) expect(DateTime.toEpochMillis(mintedAt(id))).toBe(row.unixMs)
    expect(Result.isSuccess(checkJob(row.id))).toBe(row.namespace === "JOB")
  })

  it.each(rows.filter((row) => row.refused !== undefined))("$id is refused: $refused", (row) => {
    expect(failure(check(row.id))).toMatchObject({ _tag: "IdRefused", id: row.id, reason: row.refused })
    expect(failure(checkJob(row.id)).reason).toBe(row.refused)
  })
})

describe("check", () => {
  it.each([
    // Fourteen UTF-16 units, but fifteen bytes.
    ["JOB0000000000é", "length"],
    // Fourteen bytes, though thirteen units.
    ["JOB000000000é", "charset"],
    ["éB00000000000", "namespace"],
    ["JOB00000000\ud800", "charset"],
    ["J\nB00000000000", "namespace"],
    ["JOB0000000000\n", "charset"],
    ["JOB-0000000000", "charset"]
  ])("%j is refused: %s", (id, reason) => {
    expect(failure(check(id)).reason).toBe(reason)
  })

  it("says what is wrong, short, printable and without the rest of a huge id", () => {
    const long = failure(check("\0".repeat(10_000_000)))
    expect(long.message.length).toBeLessThan(400)
    expect(failure(check("JOB0KHTOWnGLu\n")).message).toBe(
      'id "JOB0KHTOWnGLu\\n" refused (charset): its eleven digits are not all base 62 (0-9A-Za-z)'
    )
  })

  it("never throws, and what passes is the id", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 16 }), (text) => {
        expect(Result.getOrElse(check(text), () => text)).toBe(text)
      })
    )
  })
})

describe("checkJob", () => {
  it("refuses another namespace before it looks at the digits", () => {
    expect(failure(checkJob("USR0KHTOWnGLuC")).message).toBe(
      'id "USR0KHTOWnGLuC" refused (namespace): its namespace is not JOB'
    )
    expect(failure(checkJob("USR0KHTOWnGLu*")).reason).toBe("namespace")
  })
})

describe("encode", () => {
  it.each([
    ["job", 0n, "namespace"],
    ["JO", 0n, "namespace"],
    ["JOBS", 0n, "namespace"],
    ["JOB\n", 0n, "namespace"],
    ["JOB", -1n, "range"],
    ["JOB", 2n ** 63n, "range"],
    ["job", -1n, "namespace"]
  ])("%j %s is refused: %s", (namespace, number, reason) => {
    expect(failure(encode(namespace, number)).reason).toBe(reason)
  })

  it("round-trips", () => {
    fc.assert(
      fc.property(namespaces, numbers, (namespace, number) => {
        const id = success(encode(namespace, number))
        expect(check(id)).toEqual(Result.succeed(id))
        expect(decode(id)).toEqual({ namespace, number })
      })
    )
  })

  it("gives ids whose byte order is mint order", () => {
    fc.assert(
      fc.property(namespaces, numbers, numbers, (namespace, one, other) => {
        const [a, b] = [success(encode(namespace, one)), success(encode(namespace, other))]
        expect(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)))).toBe(
          one < other ? -1 : one > other ? 1 : 0
        )
        if (a < b) {
          expect(DateTime.toEpochMillis(mintedAt(a))).toBeLessThanOrEqual(DateTime.toEpochMillis(mintedAt(b)))
        }
      })
    )
  })
})

describe("mintedAt", () => {
  it.each([
    [0n, "2024-01-01T00:00:00.000Z"],
    [2n ** 22n - 1n, "2024-01-01T00:00:00.000Z"],
    [2n ** 22n, "2024-01-01T00:00:00.001Z"],
    [2n ** 63n - 1n, "2093-09-06T15:47:35.551Z"]
  ])("%s is %s", (number, time) => {
    expect(DateTime.formatIso(mintedAt(success(encode("JOB", number))))).toBe(time)
  })
})

describe("schemas", () => {
  it("decode what is valid, and say what is wrong otherwise", () => {
    expect(Schema.decodeUnknownResult(BrandedId)("USR0KHTOWnGLuC")).toEqual(Result.succeed("USR0KHTOWnGLuC"))
    expect(Schema.decodeUnknownResult(JobId)("JOB00000000000")).toEqual(Result.succeed("JOB00000000000"))
    expect(failure(Schema.decodeUnknownResult(JobId)("USR0KHTOWnGLuC")).message).toContain(
      "its namespace is not JOB"
    )
    expect(Result.isFailure(Schema.decodeUnknownResult(BrandedId)(42))).toBe(true)
  })

  it("brand: a job's id is a branded id, not the reverse, and a string is neither", () => {
    expectTypeOf<JobId>().toExtend<BrandedId>()
    expectTypeOf<BrandedId>().not.toExtend<JobId>()
    expectTypeOf<string>().not.toExtend<BrandedId>()
    expectTypeOf(check).returns.toEqualTypeOf<Result.Result<BrandedId, IdRefused>>()
  })

  it("serialise the error", () => {
    const error = failure(checkJob("nope"))
    const schema = Schema.toCodecJson(error.constructor as typeof IdRefused)
    const json = success(Schema.encodeUnknownResult(schema)(error))
    expect(json).toEqual({ _tag: "IdRefused", id: "nope", reason: "length", namespace: "JOB" })
    expect(success(Schema.decodeUnknownResult(schema)(json)).message).toBe(error.message)
  })
})
