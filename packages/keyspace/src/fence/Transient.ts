import type { ServerError } from "../CallError.ts"

const codes: ReadonlySet<string> = new Set(["LOADING", "BUSY", "TRYAGAIN", "MASTERDOWN", "CLUSTERDOWN"])

/** Whether waiting will change this answer, so that it is retried and never fatal (PROTOCOL.md, Reconnects). */
export const isTransient = (error: ServerError): boolean =>
  codes.has(error.code) || error.message.startsWith("ERR max number of clients reached")
