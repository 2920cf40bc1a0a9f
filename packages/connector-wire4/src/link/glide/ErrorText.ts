import { ServerError } from "@echomq/keyspace"

/** GLIDE's names for the error codes that it knows, and the server's own. */
const codes: Record<string, string> = {
  ResponseError: "ERR",
  ExecAbortError: "EXECABORT",
  BusyLoadingError: "LOADING",
  NoScriptError: "NOSCRIPT",
  Moved: "MOVED",
  Ask: "ASK",
  TryAgain: "TRYAGAIN",
  ClusterDown: "CLUSTERDOWN",
  CrossSlot: "CROSSSLOT",
  MasterDown: "MASTERDOWN",
  ReadOnly: "READONLY",
  NotBusy: "NOTBUSY",
  PermissionDenied: "NOPERM"
}

const known = /^An error was signalled by the server:? ?- (\w+)(?:: ([\s\S]*))?$/
// The code is all before the first space, so it may end in a colon of its own.
const extension = /^(\S*): ([\s\S]*)$/
const bare = "Unknown extension error encountered"

/**
 * The server's own words, which GLIDE rewrites: `WRONGTYPE Operation …` arrives as
 * `WRONGTYPE: Operation …`, and `ERR unknown command …` as `An error was signalled by
 * the server: - ResponseError: unknown command …`. `null` where the text is not a server's.
 */
export const restore = (text: string): ServerError | null => {
  const [, kind, detail] = known.exec(text) ?? []
  const code = kind === undefined ? undefined : codes[kind]
  if (code !== undefined) return serverError(code, detail === code ? undefined : detail)
  const [, name, rest] = extension.exec(text) ?? []
  return name === undefined ? null : serverError(name, rest === bare ? undefined : rest)
}

const serverError = (code: string, detail: string | undefined): ServerError =>
  new ServerError({ code, message: detail === undefined ? code : `${code} ${detail}` })
