import { ServerError } from "../../CallError.ts"
import { integer, NOT_INTEGER, type Verbs, verb } from "../Host.ts"

/** Commands that are about no key of their own. */
export const server: Verbs = {
  PING: verb(0, 1, (_, message = "PONG") => message),
  ECHO: verb(1, 1, (_, message = "") => message),
  PUBLISH: verb(2, 2, ({ publish }, channel = "", message = "") => publish(channel, message)),
  EVAL: verb(2, Number.POSITIVE_INFINITY, ({ evaluate }, lua = "", numkeys = "", ...rest) => {
    const count = integer(numkeys)
    if (count === null) return NOT_INTEGER
    if (count < 0n) return ServerError.of("ERR Number of keys can't be negative")
    if (count > rest.length) return ServerError.of("ERR Number of keys can't be greater than number of args")
    return evaluate(lua, rest.slice(0, Number(count)), rest.slice(Number(count)))
  })
}
