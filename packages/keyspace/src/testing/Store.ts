import { ServerError } from "../CallError.ts"
import type { Binary } from "./Binary.ts"
import type { Raw } from "./Raw.ts"

/** What a key may hold, by the name of its type. */
export interface Values {
  readonly string: Binary
  readonly list: Array<Binary>
  readonly hash: Map<Binary, Binary>
  readonly set: Set<Binary>
  readonly zset: Map<Binary, number>
}

export type Type = keyof Values
export type Collection = Exclude<Type, "string">

interface Entry {
  readonly type: Type
  readonly value: Values[Type]
  /** In milliseconds of the clock; `null` for never. */
  readonly expiresAt: number | null
}

export const WRONGTYPE = ServerError.of("WRONGTYPE Operation against a key holding the wrong kind of value")

const empty: { readonly [T in Collection]: () => Values[T] } = {
  list: () => [],
  hash: () => new Map(),
  set: () => new Set(),
  zset: () => new Map()
}

const sizeOf = (value: Values[Collection]): number => (Array.isArray(value) ? value.length : value.size)

/** The data of a node. */
export class Store {
  readonly now: () => number
  readonly #entries = new Map<Binary, Entry>()

  constructor(now: () => number) {
    this.now = now
  }

  #find(key: Binary): Entry | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.expiresAt === null || entry.expiresAt > this.now()) return entry
    this.#entries.delete(key)
    return undefined
  }

  /** Calls `use` with a string, or `null` where the key is absent. */
  string(key: Binary, use: (value: Binary | null) => Raw): Raw {
    const entry = this.#find(key)
    if (entry === undefined) return use(null)
    return entry.type === "string" ? use(entry.value as Binary) : WRONGTYPE
  }

  /** Calls `use` with a collection to read or change: an empty one where the key is absent, and none is kept empty. */
  collection<T extends Collection>(type: T, key: Binary, use: (value: Values[T]) => Raw): Raw {
    const entry = this.#find(key)
    if (entry !== undefined && entry.type !== type) return WRONGTYPE
    const value = (entry?.value as Values[T] | undefined) ?? empty[type]()
    const reply = use(value)
    if (sizeOf(value) === 0) this.#entries.delete(key)
    else if (entry === undefined) this.#entries.set(key, { type, value, expiresAt: null })
    return reply
  }

  /** Sets a string, whatever the key held. */
  set(key: Binary, value: Binary, expiresAt: number | null): void {
    this.#entries.set(key, { type: "string", value, expiresAt })
  }

  /** Changes a string and leaves its time to live. */
  change(key: Binary, value: Binary): void {
    this.set(key, value, this.#find(key)?.expiresAt ?? null)
  }

  delete(key: Binary): boolean {
    return this.#find(key) !== undefined && this.#entries.delete(key)
  }

  type(key: Binary): Type | null {
    return this.#find(key)?.type ?? null
  }

  /** When a key expires; `null` for never, `undefined` where it is absent. */
  expiry(key: Binary): number | null | undefined {
    return this.#find(key)?.expiresAt
  }

  get keys(): ReadonlyArray<Binary> {
    return [...this.#entries.keys()].filter((key) => this.#find(key) !== undefined)
  }

  clear(): void {
    this.#entries.clear()
  }
}
