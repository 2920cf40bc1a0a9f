export * as ConnectorWire4 from "./ConnectorWire4.ts"
export type { Options } from "./link/index.ts"
