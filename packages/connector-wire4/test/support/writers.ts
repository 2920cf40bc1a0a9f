import type { Connector, FatalError } from "@echomq/keyspace"
import { type Closed, type CommandError, ServerError } from "@echomq/keyspace"
import { type NodeError, TestNode } from "@echomq/test-node"
import { until } from "@echomq/test-node/until"
import { type Config, Effect, Fiber, type Scope } from "effect"
import { ConnectorWire4 } from "../../src/index.ts"
import type { Authentication } from "./authentication.ts"

/** What became of a writer's `INCR`s, and how it ended. */
export interface Tally {
  readonly key: string
  acknowledged: number
  unknown: number
  notSent: number
  /** The highest reply: the counter's value, as the writer last saw it. */
  last: number
  /** Replies that were not above the one before: impossible, unless the counter is not this writer's alone. */
  backwards: number
  /** Whatever else befell it: none is expected. */
  readonly others: Array<CommandError>
  end: FatalError | Closed | null
}

export interface Writers {
  readonly tallies: ReadonlyArray<Tally>
  readonly acknowledged: () => number
  readonly unknown: () => number
  /** Has every writer end after the call it is in. */
  readonly stop: Effect.Effect<void>
  /** Waits until every writer has ended. */
  readonly ended: Effect.Effect<void>
}

const PIPELINED = 8

/**
 * Four writers at full speed, each on a counter of its own, until the connector is stopped or closed for good: three by
 * `command`, one by `pipeline`. `aside` runs after each round of one of them.
 */
export const write = Effect.fnUntraced(function* (
  connector: Connector["Service"],
  aside: Effect.Effect<void> = Effect.void
): Effect.fn.Return<Writers, never, Scope.Scope> {
  let stopping = false
  const tallies = ["a", "b", "c", "d"].map(
    (name): Tally => ({
      key: `writer:${name}`,
      acknowledged: 0,
      unknown: 0,
      notSent: 0,
      last: 0,
      backwards: 0,
      others: [],
      end: null
    })
  )
  const acknowledge = (tally: Tally, reply: unknown) => {
    tally.acknowledged++
    if (!(Number(reply) > tally.last)) tally.backwards++
    tally.last = Number(reply)
  }
  const failed = (tally: Tally, size: number, error: CommandError) => {
    if (error._tag === "Disconnected") {
      if (error.outcome === "unknown") tally.unknown += size
      else tally.notSent += size
      // Nothing else runs in a process that asks again at once.
      return Effect.sleep(1)
    }
    if ("fatal" in error || error._tag === "Closed") tally.end = error
    else tally.others.push(error)
    return Effect.void
  }
  const single = (tally: Tally) =>
    Effect.matchEffect(connector.command(["INCR", tally.key]), {
      onSuccess: (reply) => Effect.sync(() => acknowledge(tally, reply)),
      onFailure: (error) => failed(tally, 1, error)
    })
  const pipelined = (tally: Tally) =>
    Effect.matchEffect(connector.pipeline(new Array(PIPELINED).fill(["INCR", tally.key])), {
      onSuccess: (replies) =>
        Effect.sync(() => {
          for (const reply of replies) {
            if (reply instanceof ServerError) tally.others.push(reply)
            else acknowledge(tally, reply)
          }
        }),
      onFailure: (error) => failed(tally, PIPELINED, error)
    })
  const fibers = yield* Effect.forEach(tallies, (tally, i) => {
    const once = i === 3 ? pipelined(tally) : i === 2 ? Effect.andThen(single(tally), aside) : single(tally)
    return Effect.forkScoped(
      Effect.gen(function* () {
        while (!stopping && tally.end === null && tally.others.length === 0) yield* once
      })
    )
  })
  const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0)
  const ended = Effect.asVoid(Fiber.joinAll(fibers))
  return {
    tallies,
    acknowledged: () => sum(({ acknowledged }) => acknowledged),
    unknown: () => sum(({ unknown }) => unknown),
    stop: Effect.suspend(() => {
      stopping = true
      return ended
    }),
    ended
  }
})

const ENOUGH = 2_000

export interface UnderWrites {
  readonly node: TestNode["Service"]
  readonly connector: Connector["Service"]
  readonly writers: Writers
}

/** A node, and a connector under four writers at full speed. */
export const underWrites = Effect.fnUntraced(function* (
  { args, options }: Authentication,
  aside: (connector: Connector["Service"]) => Effect.Effect<void> = () => Effect.void
): Effect.fn.Return<UnderWrites, ConnectorWire4.ConnectError | NodeError | Config.ConfigError, Scope.Scope> {
  const node = yield* TestNode.make({ args })
  const connector = yield* ConnectorWire4.make({ ...options, host: node.host, port: node.port })
  const writers = yield* write(connector, aside(connector))
  yield* until("the writers are at work", Effect.sync(writers.acknowledged), (count) => count >= ENOUGH)
  return { node, connector, writers }
})
