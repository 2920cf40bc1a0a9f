export { NodeError } from "./NodeError.ts"
export type { NodeOptions } from "./NodeOptions.ts"
export type { CommandCount } from "./Statistics.ts"
export { TestNode } from "./TestNode.ts"
