import { createHash } from "node:crypto"
import type { TestNode } from "@echomq/test-node"
import { Effect } from "effect"

/** What a caller asks for, over and over. */
export type Work = "SET" | "GET" | "GET 1 KB" | "EVALSHA"

const range = (length: number) => Array.from({ length }, (_, i) => i)

const smallKeys = range(10_000).map((i) => `emq:{bench}:small:${i}`)
const largeKeys = range(1_000).map((i) => `emq:{bench}:large:${i}`)

export const VALUE = "a small value"
const LARGE = "x".repeat(1024)

export const smallKey = (i: number): string => smallKeys[i % smallKeys.length] as string
export const largeKey = (i: number): string => largeKeys[i % largeKeys.length] as string

const SCRIPT = "return redis.call('INCRBY', KEYS[1], ARGV[1])"
export const SHA = createHash("sha1").update(SCRIPT).digest("hex")
export const COUNTER = "emq:{bench}:counter"

/** Whether a reply is the one that the work must get: a client that answers wrongly is not measured. */
export const isRight: Record<Work, (reply: unknown) => boolean> = {
  SET: (reply) => reply === "OK",
  GET: (reply) => reply === VALUE,
  "GET 1 KB": (reply) => reply === LARGE,
  EVALSHA: (reply) => typeof reply === "number" && reply > 0
}

/** Places on a node what the work reads. */
export const fill = (node: TestNode["Service"]) =>
  Effect.gen(function* () {
    yield* node.admin("MSET", ...smallKeys.flatMap((key) => [key, VALUE]))
    yield* node.admin("MSET", ...largeKeys.flatMap((key) => [key, LARGE]))
    yield* node.admin("SCRIPT", "LOAD", SCRIPT)
  })
