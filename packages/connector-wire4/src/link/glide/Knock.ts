import * as net from "node:net"
import * as tls from "node:tls"
import { ConnectFailed, type ConnectFailure, Fence, printable, ServerError } from "@echomq/keyspace"
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

/** Why a connection could not be had, or did not last. */
export const failure = (target: Target, error: NodeJS.ErrnoException, connected: boolean): ConnectFailed =>
  new ConnectFailed({
    address: address(target),
    reason: reasons[error.code ?? ""] ?? (target.tls !== null && connected ? "tls" : "closed"),
    detail: error.code ?? error.message
  })

/** A socket to the server, which is to serve once it emits `readyEvent`. */
export const open = (target: Target): net.Socket =>
  target.tls === null
    ? net.connect({ host: target.host, port: target.port })
    : tls.connect({
        host: target.host,
        port: target.port,
        // Node.js before 22.15 cannot tell the system's, and takes its own.
        ca: target.tls.ca ?? tls.getCACertificates?.("system"),
        ...(net.isIP(target.host) === 0 ? { servername: target.host } : {})
      })

export const readyEvent = ({ tls }: Target): string => (tls === null ? "connect" : "secureConnect")

/** A server that takes no more connections says so, and closes. */
const verdict = (target: Target, answer: Buffer): Effect.Effect<void, ConnectFailed> => {
  const line = answer.toString().split("\r\n", 1)[0] ?? ""
  const failed = (reason: ConnectFailure, detail: string) =>
    Effect.fail(new ConnectFailed({ address: address(target), reason, detail }))
  if (line.startsWith("+")) return Effect.void
  if (!line.startsWith("-")) return failed("closed", `not a reply: ${printable(answer)}`)
  const error = ServerError.of(line.slice(1))
  if (Fence.isTransient(error)) return failed("not-ready", error.message)
  return error.code === "DENIED" ? failed("closed", error.message) : Effect.void
}

/**
 * Opens a connection, has the server close it and waits for its word, because the driver
 * finds a dead address late, without its reason, or not at all. `QUIT` is answered before
 * authentication, while loading and whatever the permissions, and leaves no trace in the
 * log of those. With TLS on, the handshake comes first.
 */
export const knock = (target: Target): Effect.Effect<void, ConnectFailed> =>
  Effect.callback<void, ConnectFailed>((resume) => {
    const socket = open(target)
    let connected = false
    socket.once("connect", () => {
      connected = true
    })
    socket.once(readyEvent(target), () => socket.write("QUIT\r\n"))
    socket.once("data", (answer) => {
      socket.destroy()
      resume(verdict(target, answer))
    })
    // Kept for the socket's whole life: an error after the first must not be uncaught.
    socket.on("error", (error) => resume(Effect.fail(failure(target, error, connected))))
    socket.once("close", () =>
      resume(Effect.fail(failure(target, new Error("closed by the peer"), connected)))
    )
    return Effect.sync(() => socket.destroy())
  })
