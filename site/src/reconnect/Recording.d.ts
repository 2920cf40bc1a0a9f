/** Times are in milliseconds from the kill of the first node. */
/** One write and what came of it: `ok`, or the name of the error. */
export interface Call {
  readonly from: number
  readonly to: number
  readonly outcome: string
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
  readonly calls: ReadonlyArray<Call>
  readonly changes: ReadonlyArray<Change>
  /** What the second node executed of the writes, by its own count. */
  readonly landed: number
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
  readonly versions: {
    readonly glide: string
    readonly valkey: string
    readonly node: string
  }
  readonly scenes: ReadonlyArray<Scene>
}
//# sourceMappingURL=Recording.d.ts.map
