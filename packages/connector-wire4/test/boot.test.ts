import { execFile } from "node:child_process"
import { type AddressInfo, createServer } from "node:net"
import { fileURLToPath } from "node:url"
import { type NodeError, type NodeOptions, TestNode } from "@echomq/test-node"
import { almostValkey, answering, rawServer } from "@echomq/test-node/rawServer"
import { shownForms } from "@echomq/test-node/secrets"
import { until } from "@echomq/test-node/until"
import { describe, expect, it } from "@effect/vitest"
import { type Config, Effect, Redacted, type Scope } from "effect"
import { ConnectorWire4, type Options } from "../src/index.ts"
import { certificatesFor, tlsNode } from "./support/certificates.ts"

/** Where a boot is tried, and what can be counted there. */
interface Place {
  readonly host: string
  readonly port: number
  readonly connectionsReceived: Effect.Effect<number, NodeError>
  readonly connections: Effect.Effect<number, NodeError>
}

interface Failing {
  readonly name: string
  readonly at: Effect.Effect<Place, NodeError | Config.ConfigError, Scope.Scope>
  readonly options?: Options
  readonly error: object
}

const secret = Redacted.make("sekrit")

const node = (options: NodeOptions = {}) => TestNode.make(options)

const withUser = (...rules: ReadonlyArray<string>): NodeOptions => ({
  args: ["--user", "emq", "on", ">sekrit", "~*", "&*", "+@all", ...rules]
})

const asUser = { username: "emq", password: secret }

/** A port that nothing listens on. */
const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

const nowhere = (host: string) =>
  Effect.map(
    freePort,
    (port): Place => ({
      host,
      port,
      connectionsReceived: Effect.succeed(0),
      connections: Effect.succeed(0)
    })
  )

const own = certificatesFor("IP:127.0.0.1,DNS:localhost")
const foreign = certificatesFor("IP:127.0.0.1")
const elsewhere = certificatesFor("DNS:elsewhere.example")

const connectFailed = (reason: string | RegExp) => ({
  _tag: "ConnectFailed",
  reason: typeof reason === "string" ? reason : expect.stringMatching(reason)
})

/** A server whose AUTH was renamed answers as any does to what it does not know: with the arguments, of which it shows 128 bytes. */
const repeating = rawServer(
  answering((name, args) => {
    const shown = args.reduce((text, arg) => `${text}'${arg.slice(0, Math.max(0, 128 - text.length))}' `, "")
    return name === "AUTH" ? `-ERR unknown command 'AUTH', with args beginning with: ${shown}` : "+OK"
  })
)

const answered: ReadonlyArray<Failing> = [
  {
    name: "a wrong password",
    at: node({ args: ["--requirepass", "sekrit"] }),
    options: { password: Redacted.make("sekrit-but-wrong") },
    error: {
      _tag: "AuthRefused",
      fatal: "auth_refused",
      message: "WRONGPASS invalid username-password pair or user is disabled."
    }
  },
  {
    name: "no password where one is asked for",
    at: node({ args: ["--requirepass", "sekrit"] }),
    error: { _tag: "AuthRefused", fatal: "auth_refused", message: "NOAUTH Authentication required." }
  },
  {
    name: "no password where one is asked for, found out by SELECT",
    at: node({ args: ["--requirepass", "sekrit"] }),
    options: { database: 1 },
    error: { _tag: "AuthRefused", message: "NOAUTH Authentication required." }
  },
  {
    name: "no password where one is asked for, found out by CLIENT SETNAME",
    at: node({ args: ["--requirepass", "sekrit"] }),
    options: { clientName: "emq" },
    error: { _tag: "AuthRefused", message: "NOAUTH Authentication required." }
  },
  {
    name: "an empty password",
    at: node({ args: ["--requirepass", "sekrit"] }),
    options: { password: Redacted.make("") },
    error: { _tag: "AuthRefused", message: "WRONGPASS invalid username-password pair or user is disabled." }
  },
  {
    name: "a password where none is asked for",
    at: node(),
    options: { password: secret },
    error: { _tag: "AuthRefused", message: expect.stringMatching(/^ERR AUTH <password> called without any/) }
  },
  {
    name: "an unknown user",
    at: node(withUser()),
    options: { username: "nobody", password: secret },
    error: { _tag: "AuthRefused", message: expect.stringMatching(/^WRONGPASS /) }
  },
  {
    name: "a server that repeats the command that it does not know",
    at: repeating,
    options: asUser,
    error: { _tag: "AuthRefused", message: "ERR unknown command 'AUTH'" }
  },
  {
    name: "the same, of a password so long that it is cut",
    at: repeating,
    options: { password: Redacted.make("sekrit".repeat(100)) },
    error: { _tag: "AuthRefused", message: "ERR unknown command 'AUTH'" }
  },
  {
    name: "a database out of range",
    at: node(),
    options: { database: 16 },
    error: {
      _tag: "BootRefused",
      fatal: "boot_refused",
      step: "select",
      message: "ERR DB index is out of range"
    }
  },
  {
    name: "a user without permission for SELECT",
    at: node(withUser("-select")),
    options: { ...asUser, database: 1 },
    error: { _tag: "BootRefused", step: "select", message: expect.stringMatching(/^NOPERM .*'select'/) }
  },
  {
    name: "a client name with a space",
    at: node(),
    options: { clientName: "two words" },
    error: {
      _tag: "BootRefused",
      fatal: "boot_refused",
      step: "setname",
      message: "ERR Client names cannot contain spaces, newlines or special characters."
    }
  },
  {
    name: "a user without permission for CLIENT SETNAME",
    at: node(withUser("-client|setname")),
    options: { ...asUser, clientName: "emq" },
    error: {
      _tag: "BootRefused",
      step: "setname",
      message: expect.stringMatching(/^NOPERM .*'client\|setname'/)
    }
  },
  {
    name: "a user without permission for GET",
    at: node(withUser("-get")),
    options: asUser,
    error: {
      _tag: "VersionFence",
      fatal: "version_fence",
      got: "NOPERM User emq has no permissions to run the 'get' command",
      error: {
        _tag: "ServerError",
        code: "NOPERM",
        message: "NOPERM User emq has no permissions to run the 'get' command"
      }
    }
  },
  {
    name: "a user without permission for SET, on an empty node",
    at: node(withUser("-set")),
    options: asUser,
    error: {
      _tag: "VersionFence",
      got: null,
      error: { code: "NOPERM", message: "NOPERM User emq has no permissions to run the 'set' command" }
    }
  },
  {
    name: "a user without permission for the version key",
    at: node(withUser("resetkeys", "~emq:*")),
    options: asUser,
    error: {
      _tag: "VersionFence",
      got: "NOPERM No permissions to access a key",
      error: { code: "NOPERM", message: "NOPERM No permissions to access a key" }
    }
  },
  {
    name: "a user who may only read, on an empty node",
    at: node(withUser("resetkeys", "%R~*")),
    options: asUser,
    error: {
      _tag: "VersionFence",
      got: null,
      error: { code: "NOPERM", message: "NOPERM No permissions to access a key" }
    }
  },
  {
    name: "a server that accepts any password",
    at: almostValkey((name) => (name === "AUTH" ? "+OK" : undefined)),
    error: {
      _tag: "BootRefused",
      fatal: "boot_refused",
      step: "pin",
      message: expect.stringContaining("the server accepts any password")
    }
  }
]

const unanswered: ReadonlyArray<Failing> = [
  { name: "a port that refuses", at: nowhere("127.0.0.1"), error: connectFailed("refused") },
  {
    name: "a port of IPv6 that refuses",
    at: nowhere("::1"),
    error: connectFailed(/^(refused|unreachable)$/)
  },
  { name: "an unknown host", at: nowhere("nowhere.invalid"), error: connectFailed("unknown-host") },
  {
    name: "a port that accepts and never answers",
    at: rawServer(() => {}),
    error: { ...connectFailed("timeout"), detail: "" }
  },
  {
    name: "a port that accepts and closes at once",
    at: rawServer((socket) => socket.end()),
    error: connectFailed("closed")
  },
  {
    name: "a port that accepts and resets at once",
    at: rawServer((socket) => socket.resetAndDestroy()),
    error: connectFailed("closed")
  },
  {
    name: "a server that closes when it is asked for the key",
    at: rawServer((socket) => {
      socket.on("data", (data) => {
        if (data.includes("GET")) socket.destroy()
      })
      answering((name) => (name === "AUTH" ? "-ERR no password is set" : "+OK"))(socket)
    }),
    error: connectFailed("closed")
  },
  {
    name: "a port that speaks something else",
    at: rawServer((socket) =>
      socket.on("data", () => socket.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"))
    ),
    error: connectFailed("closed")
  },
  {
    name: "a server that loads for ever",
    at: rawServer(answering(() => "-LOADING Valkey is loading the dataset in memory")),
    error: {
      ...connectFailed("not-ready"),
      detail: "LOADING Valkey is loading the dataset in memory"
    }
  },
  {
    name: "a server in protected mode",
    at: rawServer((socket) => socket.end("-DENIED Valkey is running in protected mode\r\n")),
    error: connectFailed("closed")
  },
  { name: "a TLS port spoken to in plain", at: node(tlsNode(own)), error: connectFailed("closed") },
  {
    name: "a plain port spoken to in TLS",
    at: node(),
    options: { tls: { ca: own.ca } },
    error: connectFailed(/^(tls|timeout|closed)$/)
  },
  {
    name: "a certificate of another authority",
    at: node(tlsNode(own)),
    options: { tls: { ca: foreign.ca } },
    error: connectFailed("tls")
  },
  {
    name: "a certificate of an authority that the system does not know",
    at: node(tlsNode(own)),
    options: { tls: true },
    error: connectFailed("tls")
  },
  {
    name: "an authority that is no certificate",
    at: node(tlsNode(own)),
    options: { tls: { ca: "nonsense" } },
    error: connectFailed("tls")
  },
  {
    name: "a certificate of another host",
    at: node(tlsNode(elsewhere)),
    options: { tls: { ca: elsewhere.ca } },
    error: { ...connectFailed("tls"), detail: "ERR_TLS_CERT_ALTNAME_INVALID" }
  },
  {
    name: "a TLS server that asks for a certificate",
    at: node({ ...tlsNode(own), args: [...(tlsNode(own).args ?? []), "--tls-auth-clients", "yes"] }),
    options: { tls: { ca: own.ca } },
    error: connectFailed("tls")
  }
]

const cases = [...answered, ...unanswered]

/** Short for those that never answer. The guard of a test is far above it. */
const connectTimeout = 1_500

const bootAt = ({ host, port }: Place, options: Options | undefined) =>
  Effect.scoped(ConnectorWire4.make({ host, port, connectTimeout, ...options })).pipe(
    Effect.flip,
    Effect.timeout("20 seconds")
  )

describe.concurrent("a boot that cannot succeed", () => {
  for (const { at, error, name, options } of cases) {
    it.live(`${name}: its error, no secret in it, and nothing left behind`, () =>
      Effect.gen(function* () {
        const place = yield* at
        const failure = yield* bootAt(place, options)
        expect(failure).toMatchObject(error)
        expect(failure.message.length).toBeLessThan(400)
        for (const shown of shownForms(failure)) {
          expect(shown).not.toContain("sekrit")
          expect(shown).not.toMatch(/pin-[0-9a-f]/)
        }
        if (failure._tag === "ConnectFailed") {
          const host = place.host.includes(":") ? `[${place.host}]` : place.host
          expect(failure.address).toBe(`${host}:${place.port}`)
          expect(failure.message).toContain(failure.address)
        }

        const received = yield* place.connectionsReceived
        yield* Effect.sleep("4 seconds")
        expect(yield* place.connectionsReceived).toBe(received)
        expect(yield* place.connections).toBe(0)
      })
    )
  }
})

describe("the same boots", () => {
  it.live("leave a process that ends by itself", () =>
    Effect.gen(function* () {
      const boots = yield* Effect.forEach(
        cases,
        ({ at, options: { password, ...options } = {} }) =>
          Effect.map(at, ({ host, port }) => ({
            ...options,
            host,
            port,
            connectTimeout,
            ...(Redacted.isRedacted(password) ? { password: Redacted.value(password) } : {})
          })),
        { concurrency: 4 }
      )
      const { code, output } = yield* run("boots.ts", JSON.stringify(boots))
      const tags = cases.map(({ error }) => (error as { readonly _tag: string })._tag)
      const said = Array.from(output.matchAll(/^= (.*)$/gm), ([, line]) => line)
      expect(said).toEqual([...tags, "done"])
      expect(output).not.toContain("sekrit")
      expect(code).toBe(0)
    })
  )
})

/** Runs a program of `support/` in a process of its own. */
const run = (program: string, argument: string) =>
  Effect.callback<{ readonly code: number | string | null; readonly output: string }>((resume) => {
    const path = fileURLToPath(new URL(`support/${program}`, import.meta.url))
    const child = execFile(process.execPath, [path, argument], { timeout: 50_000 }, (error, stdout, stderr) =>
      resume(
        Effect.succeed({
          code: error === null ? 0 : (error.code ?? error.signal ?? null),
          output: stdout + stderr
        })
      )
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("TLS", () => {
  for (const host of ["127.0.0.1", "localhost"]) {
    it.live(`serves under the right authority, by ${host}`, () =>
      Effect.gen(function* () {
        const { port } = yield* node(tlsNode(own))
        const connector = yield* ConnectorWire4.make({ host, port, tls: { ca: own.ca } })
        expect(yield* connector.command(["SET", "a", "1"])).toBe("OK")
      })
    )
  }

  it.live("serves by a URL that asks for it", () =>
    Effect.gen(function* () {
      const { port } = yield* node(tlsNode(own))
      const connector = yield* ConnectorWire4.make({
        url: `valkeys://localhost:${port}/2`,
        tls: { ca: own.ca }
      })
      expect(yield* connector.command(["CLIENT", "INFO"])).toContain(" db=2 ")
    })
  )
})

describe("what is configured", () => {
  it.live("reaches the server: user, database and name", () =>
    Effect.gen(function* () {
      const { host, port } = yield* node(withUser())
      const connector = yield* ConnectorWire4.make({
        host,
        port,
        ...asUser,
        database: 3,
        clientName: "emq-1"
      })
      const info = yield* connector.command(["CLIENT", "INFO"])
      expect(info).toContain(" user=emq ")
      expect(info).toContain(" db=3 ")
      expect(info).toContain(" name=emq-1 ")
    })
  )

  it.live(
    "is all that is asked for: a user who may neither SELECT nor CLIENT SETNAME is served without them",
    () =>
      Effect.gen(function* () {
        const { host, port } = yield* node(withUser("-select", "-client|setname"))
        const connector = yield* ConnectorWire4.make({ host, port, ...asUser })
        expect(yield* connector.command(["SET", "a", "1"])).toBe("OK")
      })
  )

  it.live("asks for the password at each dial", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ args: ["--requirepass", "first"] })
      let password = "first"
      let asked = 0
      const connector = yield* ConnectorWire4.make({
        host: node.host,
        port: node.port,
        password: Effect.sync(() => {
          asked++
          return Redacted.make(password)
        })
      })
      expect(asked).toBe(1)
      password = "second"
      yield* node.admin("CONFIG", "SET", "requirepass", "second")
      yield* node.admin("CLIENT", "KILL", "TYPE", "NORMAL", "SKIPME", "YES")
      yield* Effect.flip(connector.command(["PING"]))
      yield* until("it serves again", connector.stats, ({ reconnects }) => reconnects === 1)
      expect(yield* connector.command(["PING"])).toBe("PONG")
      expect(asked).toBe(2)
    })
  )

  it.live("fails the start where the effect of the password dies, and says nothing of the reason", () =>
    Effect.gen(function* () {
      const failure = yield* bootAt(yield* node(), { password: Effect.die(new Error("sekrit")) })
      expect(failure).toMatchObject({ ...connectFailed("options"), detail: "password: its effect died" })
      for (const shown of shownForms(failure)) expect(shown).not.toContain("sekrit")
    })
  )
})
