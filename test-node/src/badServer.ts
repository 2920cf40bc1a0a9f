import type { Socket } from "node:net"
import { IDENTITY, JOB_CORE, type Wire } from "@echomq/keyspace"
import { Effect, type Scope } from "effect"
import { type RawServer, rawServer } from "./rawServer.ts"

/** What a bad server does about commands of a client, told by their names. */
export type Bad = (socket: Socket, names: ReadonlyArray<string>) => void

/** The command at which a server turns bad; before it, it is a node of the wire. On wire 6, `read` is a round trip of its own. */
export type Turn = "knock" | "setup" | "boot" | "read" | "served"

const turns: Record<Turn, RegExp> = {
  knock: /^/,
  setup: /^CLIENT$/,
  boot: /^(AUTH|GET)$/,
  read: /^GET$/,
  served: /^(?!QUIT$|CLIENT$|AUTH$|GET$|EMQ\.VERSION$)/
}

export interface BadServer extends RawServer {
  /** Closes every connection. */
  readonly hangUp: Effect.Effect<void>
  /** All that clients sent, of every connection. */
  readonly heard: () => string
}

const namesOf = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/\*\d+\r\n\$\d+\r\n([\w.]+)|(QUIT)\r\n/g), ([, command, line]) =>
    (command ?? line ?? "").toUpperCase()
  )

const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`

/** What the module of wire 6 tells of itself. */
const report = [
  ...[
    bulk("wire"),
    bulk(IDENTITY[6]),
    bulk("module"),
    bulk("trafikey"),
    bulk("module_version"),
    bulk("0.1.0")
  ],
  ...[bulk("module_major"), ":0\r\n", bulk("build"), "$-1\r\n"],
  ...[bulk("capabilities"), `*${JOB_CORE.length}\r\n${JOB_CORE.map(bulk).join("")}`]
]

/** What a node of a wire replies to a command. */
export const rightly = (wire: Wire, name: string): string => {
  switch (name) {
    case "AUTH":
      return "-ERR AUTH <password> called without any password configured for the default user.\r\n"
    case "EMQ.VERSION":
      return `*${report.length}\r\n${report.join("")}`
    case "GET":
      return bulk(IDENTITY[wire])
    case "PING":
      return "+PONG\r\n"
    default:
      return "+OK\r\n"
  }
}

/** A node that turns bad on a connection at one of its commands. */
export const badServer = Effect.fnUntraced(function* (
  turn: Turn,
  bad: Bad,
  wire: Wire = 4
): Effect.fn.Return<BadServer, never, Scope.Scope> {
  let heard = ""
  const sockets = new Set<Socket>()
  const server = yield* rawServer((socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
    let turned = false
    socket.on("data", (data) => {
      const text = data.toString("latin1")
      heard += text
      const names = namesOf(text)
      turned ||= turn === "knock" || names.some((name) => turns[turn].test(name))
      if (turned) bad(socket, names)
      else socket.write(names.map((name) => rightly(wire, name)).join(""))
    })
  })
  return {
    ...server,
    heard: () => heard,
    hangUp: Effect.sync(() => {
      for (const socket of sockets) socket.destroy()
    })
  }
})

const saying =
  (bytes: string | Uint8Array): Bad =>
  (socket) =>
    socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes)

/** The same reply to each command. */
const each =
  (reply: string): Bad =>
  (socket, names) =>
    socket.write(Buffer.from(names.map(() => reply).join(""), "latin1"))

/** A beginning, and then more and more of what could go on for ever. */
const trickling =
  (start: string, more: string): Bad =>
  (socket) => {
    socket.write(start)
    const timer = setInterval(() => socket.write(more), 10).unref()
    socket.once("close", () => clearInterval(timer))
  }

const tlsHello = Buffer.from(`16030100310100002d0303${"ab".repeat(32)}000006c02bc02f00ff0100`, "hex")

const nested = (depth: number) => "*1\r\n".repeat(depth)

/** Numbers from 0 to below 2^32, the same for the same seed. */
export const randomNumbers = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
}

const randomBytes = (next: () => number, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => next() & 0xff))

const garbage = randomBytes(randomNumbers(1), 4_096)

/** Every way to be bad that has a name, for what is expected to be a node of a wire. */
export const bads = (wire: Wire): Readonly<Record<string, Bad>> => ({
  "garbage bytes": saying(garbage),
  nothing: () => {},
  "half a bulk string, then silence": saying("$12\r\nechom"),
  "half an error, then silence": saying("-WRONGPA"),
  "half a line end, then silence": saying("+OK\r"),
  "every reply twice": (socket, names) =>
    socket.write(names.map((name) => rightly(wire, name).repeat(2)).join("")),
  "a hundred replies to each": (socket, names) =>
    socket.write(names.map((name) => rightly(wire, name).repeat(100)).join("")),
  "a reply to the first of several only": (socket, names) => socket.write(rightly(wire, names[0] ?? "")),
  "the replies in reverse": (socket, names) =>
    socket.write(
      names
        .map((name) => rightly(wire, name))
        .reverse()
        .join("")
    ),
  "a push before each reply": (socket, names) =>
    socket.write(names.map((name) => `>3\r\n+message\r\n+a\r\n+b\r\n${rightly(wire, name)}`).join("")),
  "an endless bulk string": trickling("$536870912\r\n", "x".repeat(64)),
  "an endless line": trickling("+", "x".repeat(64)),
  "an endless array": trickling("*2147483647\r\n", ":1\r\n"),
  "a bulk string longer than any": saying("$9223372036854775807\r\nabc\r\n"),
  "an array longer than any": saying("*9223372036854775807\r\n:1\r\n"),
  "a map longer than any": saying("%9223372036854775807\r\n:1\r\n"),
  "a length that is no number": saying("$99999999999999999999999\r\n*nonsense\r\n"),
  "lengths below zero": each("$-2\r\n*-5\r\n"),
  "arrays nested 10,000 deep": saying(`${nested(10_000)}:1\r\n`),
  "arrays nested 10,000 deep, without an end": saying(nested(10_000)),
  "arrays nested 100 deep": each(`${nested(100)}:1\r\n`),
  HTTP: saying("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
  "a TLS hello": saying(tlsHello),
  "an error for everything": each("-ERR no\r\n"),
  "- with no text for everything": each("-\r\n"),
  "+ with no text for everything": each("+\r\n"),
  "an error that is not UTF-8": each("-ERR \xff\xfe\r\n"),
  "a line that is not UTF-8": each("+\xff\xfe\r\n"),
  "a bulk string that is not UTF-8": each("$2\r\n\xff\xfe\r\n"),
  "an integer for everything": each(":1\r\n"),
  "no bulk string for everything": each("$-1\r\n"),
  "no array for everything": each("*-1\r\n"),
  "an empty array for everything": each("*0\r\n"),
  "an array of errors for everything": each("*2\r\n-ERR a\r\n-\r\n"),
  "a map for everything": each("%1\r\n+a\r\n:1\r\n"),
  "null for everything": each("_\r\n"),
  "no number for everything": each(",nan\r\n"),
  "a number larger than any for everything": each(`(${"9".repeat(5_000)}\r\n`),
  "an end": (socket) => socket.end(),
  "a reset": (socket) => socket.resetAndDestroy(),
  "an error, and then an end": (socket) => socket.end("-ERR no\r\n")
})

const tokens = [
  ...[
    "+OK\r\n",
    "+",
    "-",
    "-ERR no\r\n",
    ":1\r\n",
    ":",
    "$",
    "$12\r\nechomq:4.0.0\r\n",
    "$12\r\nechomq:6.0.0\r\n"
  ],
  ...[
    "$-1\r\n",
    "*2\r\n",
    "*-1\r\n",
    "*0\r\n",
    "%1\r\n",
    "~2\r\n",
    ">2\r\n",
    "_\r\n",
    "#t\r\n",
    ",1.5\r\n",
    "(1\r\n"
  ],
  ...[
    "!3\r\nERR\r\n",
    "=7\r\ntxt:abc\r\n",
    "|1\r\n",
    "\r\n",
    "\n",
    "\0",
    "\xff",
    "1",
    "-1",
    "9999999999",
    " ",
    "x"
  ]
]

/** Bytes at random, or pieces of the protocol at random: what a client is told in place of a reply. */
export const randomStream = (seed: number): Buffer => {
  const next = randomNumbers(seed)
  const length = 1 + (next() % 40)
  return next() % 3 === 0
    ? randomBytes(next, length)
    : Buffer.from(Array.from({ length }, () => tokens[next() % tokens.length] ?? "").join(""), "latin1")
}

/** Says a random stream in pieces, and closes at the end or not. */
export const saysAtRandom = (seed: number): Bad => {
  const next = randomNumbers(seed ^ 0x5eed)
  const stream = randomStream(seed)
  const cut = next() % (stream.length + 1)
  const closes = next() % 2 === 0
  return (socket) => {
    socket.write(stream.subarray(0, cut))
    setImmediate(() => {
      if (socket.destroyed) return
      socket.write(stream.subarray(cut))
      if (closes) socket.end()
    })
  }
}

/** A node that closes a connection once it has sent so many bytes, over all connections. */
export const closingAfter = Effect.fnUntraced(function* (
  bytes: number,
  wire: Wire = 4
): Effect.fn.Return<
  RawServer & { readonly heard: () => string; readonly sent: () => number },
  never,
  Scope.Scope
> {
  let heard = ""
  let sent = 0
  const server = yield* rawServer((socket) => {
    socket.on("data", (data) => {
      const text = data.toString("latin1")
      heard += text
      const reply = namesOf(text)
        .map((name) => rightly(wire, name))
        .join("")
      const part = reply.slice(0, Math.max(0, bytes - sent))
      sent += part.length
      if (part.length < reply.length) socket.end(part)
      else socket.write(part)
    })
  })
  return { ...server, heard: () => heard, sent: () => sent }
})
