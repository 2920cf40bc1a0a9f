/** What a node is started with. */
export interface NodeOptions {
  /**
   * Arguments of the server, after the fixture's own and so with the last word: `["--requirepass", "x"]`.
   * Files named relatively are in the node's directory.
   */
  readonly args?: ReadonlyArray<string>
  /**
   * Commands whose effect the node holds before it accepts its first connection. They come from the node's
   * append-only file, so they appear in no count, and none may come from a module.
   */
  readonly seed?: ReadonlyArray<ReadonlyArray<string | Uint8Array>>
  /** Path of a module to load. */
  readonly module?: string
  /** Files to place in the node's directory, by name: certificates, say. */
  readonly files?: Readonly<Record<string, string>>
  /** Serve TLS, and nothing else, on the port. `args` name the certificate, the key and the authority. */
  readonly tls?: boolean
  /**
   * For about how many milliseconds, at every start, the node answers `LOADING` before it serves; it looks at its
   * connections every 90 ms meanwhile. No time where not given.
   */
  readonly loading?: number
  /**
   * When the node counts as started: once it serves (`ready`), or once it answers at all, if only with
   * `LOADING` (`listening`). `ready` where not given.
   */
  readonly until?: "ready" | "listening"
}
