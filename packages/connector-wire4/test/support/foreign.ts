import { type Connector, VERSION_KEY, VersionFence, WIRE_4, WIRE_6 } from "@echomq/keyspace"
import type { NodeError, TestNode } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { executedOnKeys, keys } from "./statistics.ts"
import type { Writers } from "./writers.ts"

/** Longer than the longest pause before a reconnect. */
const QUIET = "3 seconds"

/** Makes the connector's own node a foreign one, and cuts its connections: at one blow, so that every write after it is one too many. */
export const changeUnderneath = (node: TestNode["Service"]): Effect.Effect<void, NodeError> =>
  Effect.gen(function* () {
    yield* node.admin("MULTI")
    yield* node.admin("FLUSHALL")
    yield* node.admin("SET", VERSION_KEY, WIRE_6)
    yield* node.admin("CONFIG", "RESETSTAT")
    yield* node.admin("CLIENT", "KILL", "TYPE", "NORMAL", "SKIPME", "YES")
    yield* node.admin("EXEC")
  })

/**
 * Waits until the connector is stopped, and shows that it kept off the node that stands where its own was: no key but
 * the version, no write, one `GET`, no connection afterwards, and nothing but the refusal for callers.
 */
export const expectFenced = (
  node: TestNode["Service"],
  connector: Connector["Service"],
  writers: Writers
): Effect.Effect<VersionFence, unknown> =>
  Effect.gen(function* () {
    const written = until("something is written", node.writes, (writes) => writes > 0)
    const error = yield* Effect.raceFirst(Effect.flip(connector.stopped), written)
    if (typeof error === "number") return expect.unreachable(`${error} writes on the foreign node`)
    if (!(error instanceof VersionFence)) return expect.unreachable(error._tag)
    const received = yield* node.connectionsReceived
    yield* writers.ended
    for (const tally of writers.tallies) {
      expect(tally.others).toEqual([])
      expect(tally.backwards).toBe(0)
      expect(tally.end).toBe(error)
    }
    yield* Effect.sleep(QUIET)
    expect(yield* keys(node)).toEqual([VERSION_KEY])
    expect(yield* executedOnKeys(node)).toEqual({ get: 1 })
    expect(yield* node.connectionsReceived).toBe(received)
    // The driver holds on to a client that was closed, for some seconds and one connection.
    yield* until("no connection is open", node.connections, (open) => open === 0)
    expect(yield* node.connectionsReceived).toBe(received)

    expect(error.expected).toBe(WIRE_4)
    expect(yield* connector.status).toMatchObject({ _tag: "Stopped", error })
    expect(yield* Effect.flip(connector.stopped)).toBe(error)
    expect(yield* Effect.flip(connector.command(["SET", "late", "1"]))).toBe(error)
    expect(yield* Effect.flip(connector.pipeline([["SET", "late", "1"]]))).toBe(error)
    expect(yield* Effect.flip(connector.transaction([["SET", "late", "1"]]))).toBe(error)
    expect(yield* keys(node)).toEqual([VERSION_KEY])
    return error
  })
