/** Times are in milliseconds from the kill of the first node. */

/** One write, from its call to its end. */
export interface Call {
  readonly from: number
  readonly to: number
}

/** Writes, one after another, that ended alike. */
export interface Run {
  /** The node that acknowledged them, `first` or `second`, or the name of the error. */
  readonly outcome: string
  readonly calls: ReadonlyArray<Call>
}

/** What the connector said of itself. */
export interface Change {
  readonly at: number
  readonly status: string
}

/** One client, writing to a node that is killed and replaced. */
export interface Lane {
  /** From when on the second node answers. */
  readonly up: number
  readonly runs: ReadonlyArray<Run>
  readonly changes: ReadonlyArray<Change>
  /** What the second node executed of the writes, by its own count. */
  readonly landed: number
  /** Every command that it executed for the client, by its own count. */
  readonly executed: Readonly<Record<string, number>>
  /** All its keys at the end. */
  readonly keys: ReadonlyArray<string>
}

export interface Scene {
  /** What the second node holds under the version key. */
  readonly holds: string
  readonly glide: Lane
  readonly connector: Lane
}

export interface Recording {
  readonly versions: { readonly glide: string; readonly valkey: string; readonly node: string }
  readonly scenes: ReadonlyArray<Scene>
}
