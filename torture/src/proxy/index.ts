export type { Address } from "./Connection.ts"
export type { Direction, Faults } from "./Faults.ts"
export { FaultProxy } from "./Proxy.ts"
