/** An error reply: the server's words, without the `-`. */
export class ErrorReply {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** A reply as the server sent it: a map stays a map, and in its order. */
export type Wire = string | number | null | boolean | ErrorReply | ReadonlyArray<Wire> | Map<Wire, Wire>

export const encode = (parts: ReadonlyArray<string | number | Uint8Array>): Buffer =>
  Buffer.concat([
    Buffer.from(`*${parts.length}\r\n`),
    ...parts.flatMap((part) => {
      const bytes = part instanceof Uint8Array ? part : Buffer.from(String(part))
      return [Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n")]
    })
  ])

const incomplete = Symbol("incomplete")

/** Reads replies of RESP2 and RESP3 from chunks. Strings are taken as UTF-8. */
export class Reader {
  #bytes = Buffer.alloc(0)
  #at = 0

  /** The replies that are complete with this chunk. */
  push(chunk: Buffer): ReadonlyArray<Wire> {
    this.#bytes = Buffer.concat([this.#bytes.subarray(this.#at), chunk])
    this.#at = 0
    const replies: Array<Wire> = []
    for (;;) {
      const start = this.#at
      try {
        replies.push(this.#reply())
      } catch (cause) {
        if (cause !== incomplete) throw cause
        this.#at = start
        return replies
      }
    }
  }

  #line(): string {
    const end = this.#bytes.indexOf("\r\n", this.#at)
    if (end === -1) throw incomplete
    const line = this.#bytes.toString("utf8", this.#at, end)
    this.#at = end + 2
    return line
  }

  #bulk(length: number): string | null {
    if (length === -1) return null
    const start = this.#at
    if (this.#bytes.length < start + length + 2) throw incomplete
    this.#at = start + length + 2
    return this.#bytes.toString("utf8", start, start + length)
  }

  #list(length: number): ReadonlyArray<Wire> | null {
    return length === -1 ? null : Array.from({ length }, () => this.#reply())
  }

  #reply(): Wire {
    const line = this.#line()
    const rest = line.slice(1)
    switch (line[0]) {
      case "+":
        return rest
      case "-":
        return new ErrorReply(rest)
      case ":":
      case ",":
        return Number(rest)
      case "_":
        return null
      case "#":
        return rest === "t"
      case "$":
        return this.#bulk(Number(rest))
      case "*":
      case "~":
      case ">":
        return this.#list(Number(rest))
      case "%":
        return new Map(Array.from({ length: Number(rest) }, () => [this.#reply(), this.#reply()] as const))
      default:
        throw new Error(`not a reply: ${line}`)
    }
  }
}
