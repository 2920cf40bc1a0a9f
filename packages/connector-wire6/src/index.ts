export type { Options } from "@echomq/connector-wire4/link"
export * as ConnectorWire6 from "./ConnectorWire6.ts"
