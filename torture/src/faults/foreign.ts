import { VERSION_KEY, WIRE_4, WIRE_6, type Wire } from "@echomq/keyspace"
import type { NodeOptions } from "@echomq/test-node"
import { modulePath, type Variant } from "@echomq/test-node/module"
import type { Site } from "../site/Site.ts"

/** A node that a connector must not write to. */
export interface Foreign {
  readonly seed: ReadonlyArray<ReadonlyArray<string | Uint8Array>>
  readonly module: "none" | "shipped" | Variant
  /** How a connector stops there. */
  readonly tag: string
}

type Foreigners = readonly [Foreign, ...ReadonlyArray<Foreign>]

const holds = (...seed: Foreign["seed"]): Foreign => ({ seed, module: "none", tag: "VersionFence" })

const value = (value: string | Uint8Array) => holds(["SET", VERSION_KEY, value])

const list = holds(["RPUSH", VERSION_KEY, WIRE_4])

const module = (module: Foreign["module"], tag: string): Foreign => ({ ...value(WIRE_6), module, tag })

/** For wire 4: another value, of whatever kind. */
const toScripted: Foreigners = [
  value(WIRE_6),
  value("echomq:4.0.1"),
  value(""),
  value("x".repeat(100_000)),
  value(Buffer.from([0xff, 0xfe, 0, 0x41])),
  list,
  { ...value(WIRE_6), module: "shipped" }
]

/** For wire 6: another value, none, no module, or one that breaks the client rule. */
const toNative: Foreigners = [
  { ...value(WIRE_4), module: "shipped" },
  { ...holds(), module: "shipped" },
  { ...value(""), module: "shipped" },
  { ...list, module: "shipped" },
  module("none", "EmqAbsent"),
  module("major", "ClientRule"),
  module("token-short", "ClientRule"),
  module("wire", "ClientRule")
]

const foreigners: Record<Wire, Foreigners> = { 4: toScripted, 6: toNative }

export const foreign = (site: Site, dice: number): Foreign => {
  const list = foreigners[site.plot.wire]
  return list[Math.floor(dice * list.length)] ?? list[0]
}

export const nodeOptions = (site: Site, { module, seed }: Foreign): NodeOptions => ({
  args: site.nodeOptions.args ?? [],
  seed,
  ...(module === "none" ? {} : { module: module === "shipped" ? modulePath() : modulePath(module) })
})
