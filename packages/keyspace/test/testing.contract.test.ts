import { contract, type Subject } from "@echomq/test-node/contract"
import { Effect, type Scope } from "effect"
import type { Wire } from "../src/index.ts"
import { MemoryConnector, MemoryNode } from "../src/testing.ts"

const start =
  (wire: Wire) =>
  (version: string | null): Effect.Effect<Subject, never, Scope.Scope> =>
    Effect.map(MemoryNode.make({ version }), (node) => ({
      ...node,
      connect: (limits) => MemoryConnector.make(node, { ...limits, wire }),
      replace: (version) => node.replace({ version })
    }))

contract("in memory, wire 4", 4, start(4))
contract("in memory, wire 6", 6, start(6))
