import { toText } from "@echomq/keyspace"
import { Redacted, Result } from "effect"

/** What a URL says of a connection; only what it names is there. */
export interface Url {
  readonly host?: string
  readonly port?: number
  readonly username?: string
  readonly password?: Redacted.Redacted<string>
  readonly database?: number
  readonly tls?: boolean
}

const schemes: Record<string, boolean> = {
  "valkey:": false,
  "redis:": false,
  "valkeys:": true,
  "rediss:": true
}

/** Percent-decoded, or `null` where the escapes are broken or stand for no text. */
const decoded = (text: string): string | null =>
  /%(?![0-9a-f]{2})/i.test(text) ? null : toText(Buffer.from(unescaped(text), "latin1"))

const unescaped = (text: string): string =>
  Buffer.from(text)
    .toString("latin1")
    .replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Refusals name the part at fault and repeat nothing of the URL: it may hold a password. */
export const parseUrl = (url: string | Redacted.Redacted<string>): Result.Result<Url, string> => {
  const text = Redacted.isRedacted(url) ? Redacted.value(url) : url
  const parsed = URL.parse(text)
  if (parsed === null) return Result.fail("url is not a URL")
  const tls = schemes[parsed.protocol]
  if (tls === undefined) return Result.fail("url must start with valkey:, redis:, valkeys: or rediss:")
  if (parsed.hostname === "") return Result.fail("url names no host")
  const username = decoded(parsed.username)
  const password = decoded(parsed.password)
  const host = decoded(parsed.hostname.replace(/^\[(.*)\]$/, "$1"))
  if (username === null || password === null || host === null) {
    return Result.fail("url has a broken percent escape")
  }
  const database = parsed.pathname.replace(/^\//, "")
  if (!/^\d*$/.test(database)) return Result.fail("url must name the database by its number")
  if (parsed.search !== "" || parsed.hash !== "")
    return Result.fail("url must not have a query or a fragment")
  return Result.succeed({
    host,
    ...(tls ? { tls } : {}),
    ...(parsed.port === "" ? {} : { port: Number(parsed.port) }),
    ...(username === "" ? {} : { username }),
    ...(password === "" ? {} : { password: Redacted.make(password) }),
    ...(database === "" ? {} : { database: Number(database) })
  })
}
