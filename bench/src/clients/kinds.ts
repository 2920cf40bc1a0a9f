import type { Open } from "./Client.ts"

/** The connector, and what people would pick instead. Each is loaded by itself, so that a process can have one alone. */
const modules = {
  connector: () => import("./Connector.ts"),
  GLIDE: () => import("./Glide.ts"),
  iovalkey: () => import("./IoValkey.ts"),
  "node-redis": () => import("./NodeRedis.ts"),
  NodeRedis: () => import("./EffectRedis.ts")
}

export type Kind = keyof typeof modules

export const kinds = Object.keys(modules) as ReadonlyArray<Kind>

export const peers = kinds.filter((kind) => kind !== "connector")

export const load = async (kind: Kind): Promise<Open> => (await modules[kind]()).open
