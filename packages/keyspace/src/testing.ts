/**
 * Connectors to a node in memory, for unit tests of applications: the same fence machines,
 * the same errors, no server.
 */
export * as MemoryConnector from "./testing/MemoryConnector.ts"
export { MemoryNode, type NodeOptions, type Stored, type Turned } from "./testing/MemoryNode.ts"
export type { Module } from "./testing/Module.ts"
export type { Planned } from "./testing/Session.ts"
export type { Twin } from "./testing/Twin.ts"
