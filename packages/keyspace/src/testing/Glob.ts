import type { Binary } from "./Binary.ts"

const escaped = (char: string): string => char.replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&")

/** A class in brackets: its end is the first `]` after its beginning, and a backslash escapes. */
const classOf = (body: string): string => {
  const negated = body.startsWith("^")
  const inner = (negated ? body.slice(1) : body).replace(
    /\\(.)|(.)-(.)|(.)/gs,
    (_, literal, from, to, one) =>
      from === undefined ? escaped(literal ?? one) : [from, to].toSorted().map(escaped).join("-")
  )
  return inner === "" ? (negated ? "." : "(?!)") : `[${negated ? "^" : ""}${inner}]`
}

/** Whether a value matches a pattern of `KEYS` or `PSUBSCRIBE`. */
export const glob = (pattern: Binary): ((value: Binary) => boolean) => {
  const source = pattern.replace(
    /\\(.)|(\*)|(\?)|\[((?:\\.|[^\]])*)\]|(.)/gs,
    (_, literal, all, any, body, other) => {
      if (all !== undefined) return ".*"
      if (any !== undefined) return "."
      return body === undefined ? escaped(literal ?? other) : classOf(body)
    }
  )
  const expression = new RegExp(`^${source}$`, "s")
  return (value) => expression.test(value)
}
