import { ServerError } from "../CallError.ts"
import { BUS, type Capability, JOB_CORE } from "../Capability.ts"
import { install, nativeVerb } from "../fence/index.ts"
import type { Machine } from "../fence/Machine.ts"
import type { ModuleReport } from "../ModuleVersion.ts"
import { printable } from "../Printable.ts"
import { MODULE, MODULE_MAJOR, MODULE_VERSION, VERSION_KEY, WIRE_6 } from "../Wire.ts"
import { type Binary, binary, bytesOf } from "./Binary.ts"
import { type Host, integer, type Verb, verb } from "./Host.ts"
import { decode, type Raw } from "./Raw.ts"

/**
 * The module of a node: what differs from the one as shipped in what it reports, the error
 * that `EMQ.VERSION` replies, or `null` where none is loaded.
 */
export type Module = Partial<ModuleReport> | ServerError | null

/** The module as it ships. */
export const shipped: ModuleReport = {
  wire: WIRE_6,
  module: MODULE,
  version: MODULE_VERSION,
  major: MODULE_MAJOR,
  build: null,
  capabilities: [...JOB_CORE, ...BUS]
}

/** Its verbs, and the tokens by which it lists them. */
const tokens: Readonly<Record<string, ReadonlyArray<Capability>>> = {
  "EMQ.ENQUEUE": ["enqueue"],
  "EMQ.CLAIM": ["claim", "claim.pause"],
  "EMQ.EXTEND": ["extend"],
  "EMQ.EXTENDS": ["extends"],
  "EMQ.COMPLETE": ["complete.flat"],
  "EMQ.SCHEDULE": ["schedule"],
  "EMQ.PROMOTE": ["promote"],
  "EMQ.RESCHEDULE": ["reschedule"],
  "EMQ.DELAY": ["delay"],
  "EMQ.FAIL": ["fail.flat"],
  "EMQ.REPROCESS": ["reprocess"],
  "EMQ.REQUEUE": ["requeue"],
  "EMQ.STALLED": ["stalled.check"],
  "EMQ.APPEND": ["append"],
  "EMQ.FAILURES": ["failures.incr"],
  "EMQ.PUBLISH": ["publish"]
}

const shown = (value: Binary): string => printable(bytesOf(value))

/** Plays a fence inside the node, where every command is answered at once. */
const play = <State, Pass>(host: Host, machine: Machine<State, Pass, ServerError>): Pass | ServerError => {
  let step = machine.start
  while (step._tag === "Send") {
    const reply = decode(host.execute(step.command), { command: step.command[0] ?? "", bytes: true })
    step = machine.next(step.state, reply)
  }
  return step._tag === "Pass" ? step.value : step.error
}

const queueOf = (key: Binary): Binary | undefined => /^emq:\{([^{}]+)\}:./s.exec(key)?.[1]

/** The one queue of these keys, or the error of the first that is not of it. */
const oneQueue = (name: string, keys: ReadonlyArray<Binary>): { readonly queue: Binary } | ServerError => {
  const queue = queueOf(keys[0] ?? "")
  for (const [i, key] of keys.entries()) {
    const own = queueOf(key)
    const at = `EMQKEY ${name} key ${i + 1}`
    if (own === undefined) return ServerError.of(`${at} is not in queue space emq:{q}:<type>: ${shown(key)}`)
    if (own !== queue) return ServerError.of(`${at} is not of the queue of key 1: ${shown(key)}`)
  }
  return { queue: queue ?? "" }
}

/** A call as one element of its queue's journal: a RESP array. */
const entryOf = (parts: ReadonlyArray<Binary>): Binary =>
  `*${parts.length}\r\n${parts.map((part) => `$${part.length}\r\n${part}\r\n`).join("")}`

/** A write verb: shape, layout, fence, and then its call goes to the journal of its queue. */
const writeVerb = (name: string): Verb =>
  verb(2, Number.POSITIVE_INFINITY, (host, numkeys = "", ...rest): Raw => {
    const count = integer(numkeys)
    if (count === null) {
      return ServerError.of(`ERR ${name} numkeys is not an integer or out of range: ${shown(numkeys)}`)
    }
    if (count < 1n) return ServerError.of(`ERR ${name} numkeys must be at least 1, got ${count}`)
    if (count > rest.length) {
      return ServerError.of(`ERR ${name} numkeys is ${count}, larger than the ${rest.length} that follow`)
    }
    const layout = oneQueue(name, rest.slice(0, Number(count)))
    if (layout instanceof ServerError) return layout
    const fence = play(host, nativeVerb)
    if (fence instanceof ServerError) return fence
    return host.execute(["RPUSH", `emq:{${layout.queue}}:journal`, entryOf([name, numkeys, ...rest])])
  })

const installVerb: Verb = verb(2, 2, (host, numkeys = "", key = ""): Raw => {
  if (numkeys !== "1") return ServerError.of(`ERR EMQ.INSTALL numkeys must be 1, got ${shown(numkeys)}`)
  if (key !== VERSION_KEY)
    return ServerError.of(`EMQKEY EMQ.INSTALL key 1 must be ${VERSION_KEY}: ${shown(key)}`)
  return play(host, install)
})

const reportOf = (module: Partial<ModuleReport>): Raw => {
  const { build, capabilities, major, module: name, version, wire } = { ...shipped, ...module }
  return new Map<Binary, Raw>([
    ["wire", binary(wire)],
    ["module", binary(name)],
    ["module_version", binary(version)],
    ["module_major", major],
    ["build", build === null ? null : binary(build)],
    ["capabilities", capabilities.map(binary)]
  ])
}

/** The commands of a module. One whose tokens it does not list is not registered. */
export const verbsOf = (module: Module): ReadonlyMap<string, Verb> => {
  if (module === null) return new Map()
  const failing = module instanceof ServerError
  const listed: ReadonlyArray<string> = (failing ? shipped : { ...shipped, ...module }).capabilities
  const reply = failing ? module : reportOf(module)
  return new Map([
    ...Object.entries(tokens)
      .filter(([, needed]) => needed.every((token) => listed.includes(token)))
      .map(([name]) => [name, writeVerb(name)] as const),
    ["EMQ.VERSION", verb(0, 0, () => reply)],
    ["EMQ.INSTALL", installVerb]
  ])
}
