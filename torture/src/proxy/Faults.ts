/** Which way bytes go: `up` from the client to the server, `down` from the server to the client. */
export type Direction = "up" | "down"

/** What happens to the bytes of one direction. */
export interface Faults {
  /** How much later they arrive, in milliseconds. */
  readonly delay: number
  /** How many a second pass, or `null` for all. */
  readonly rate: number | null
  /**
   * Bytes are swallowed and the sockets stay open. A connection that has lost bytes never passes any again, since
   * TCP drops nothing from the middle of a stream.
   */
  readonly hole: boolean
  /** After how many more bytes a connection is closed, or `null` for never. Counts for each connection by itself. */
  readonly cutAfter: number | null
}

export const none: Faults = { delay: 0, rate: null, hole: false, cutAfter: null }
