import * as net from "node:net"
import * as tls from "node:tls"
import { ConnectFailed, type ConnectFailure } from "@echomq/keyspace"
import { Effect } from "effect"
import { address, type Target } from "../Target.ts"

const reasons: Record<string, ConnectFailure> = {
  ECONNREFUSED: "refused",
  ENOTFOUND: "unknown-host",
  EAI_AGAIN: "unknown-host",
  EAI_NODATA: "unknown-host",
  EAI_NONAME: "unknown-host",
  ETIMEDOUT: "timeout",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  EADDRNOTAVAIL: "unreachable",
  EACCES: "unreachable",
  EPERM: "unreachable"
}

const failure = (target: Target, error: NodeJS.ErrnoException, connected: boolean): ConnectFailed =>
  new ConnectFailed({
    address: address(target),
    reason: reasons[error.code ?? ""] ?? (target.tls !== null && connected ? "tls" : "closed"),
    detail: error.code ?? error.message
  })

const open = (target: Target): net.Socket =>
  target.tls === null
    ? net.connect({ host: target.host, port: target.port })
    : tls.connect({
        host: target.host,
        port: target.port,
        ca: target.tls.ca ?? tls.getCACertificates("system"),
        ...(net.isIP(target.host) === 0 ? { servername: target.host } : {})
      })

/**
 * Opens a connection and closes it again, because the driver finds a dead address
 * late, without its reason, or not at all. With TLS on, the handshake is part of it.
 */
export const knock = (target: Target): Effect.Effect<void, ConnectFailed> =>
  Effect.callback<void, ConnectFailed>((resume) => {
    const socket = open(target)
    let connected = false
    socket.once("connect", () => {
      connected = true
    })
    socket.once(target.tls === null ? "connect" : "secureConnect", () => {
      socket.destroy()
      resume(Effect.void)
    })
    // Kept for the socket's whole life: an error after the first must not be uncaught.
    socket.on("error", (error) => resume(Effect.fail(failure(target, error, connected))))
    socket.once("close", () =>
      resume(Effect.fail(failure(target, new Error("closed by the peer"), connected)))
    )
    return Effect.sync(() => socket.destroy())
  })
