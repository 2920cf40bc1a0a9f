export type { ConnectorMachine, Machine, Served, Step } from "./Machine.ts"
export {
  CLUSTER_REFUSED,
  type InstallState,
  install,
  nativeVerb,
  type VerbState,
  WIRE_ABSENT
} from "./Native.ts"
export { isTransient } from "./Transient.ts"
export { type Wire4Refusal, type Wire4State, wire4 } from "./Wire4.ts"
export { type Wire6Refusal, type Wire6State, wire6 } from "./Wire6.ts"
