/** Trust settings of a TLS connection. */
export interface Tls {
  /** The certificate authorities to trust, in PEM. Default: those of the operating system. */
  readonly ca?: string
}

/** Where a link is dialled, and the bounds that the driver must know. */
export interface Target {
  readonly host: string
  readonly port: number
  readonly tls: Tls | null
  /** How long a connection may take, in milliseconds. */
  readonly connectTimeout: number
  /** How long a request may wait for its reply, in milliseconds. */
  readonly requestTimeout: number
  /** Whether what is sent may block for as long as it likes; such a link cannot be asked for a sign of life. */
  readonly blocks: boolean
}

export const address = (target: Pick<Target, "host" | "port">): string =>
  `${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`
