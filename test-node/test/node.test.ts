import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect as connectTls } from "node:tls"
import { TestNode } from "@echomq/test-node"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Fiber, Scope } from "effect"

/** Sends one line, as a client of the node would, and gives the first piece of the answer, or null where there is none. */
const ask = (port: number, line: string, within = 5_000) =>
  Effect.callback<string | null>((resume) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${line}\r\n`))
    const timer = setTimeout(() => end(null), within)
    const end = (answer: string | null) => {
      clearTimeout(timer)
      socket.destroy()
      resume(Effect.succeed(answer))
    }
    socket.once("data", (data) => end(data.toString().trimEnd()))
    socket.once("error", () => end(null))
    socket.once("close", () => end(null))
    return Effect.sync(() => end(null))
  })

const askTls = (port: number, line: string) =>
  Effect.callback<string>((resume) => {
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false }, () =>
      socket.write(`${line}\r\n`)
    )
    socket.once("data", (data) => {
      socket.destroy()
      resume(Effect.succeed(data.toString().trimEnd()))
    })
  })

/** A certificate of its own making, and its key. */
const certificate = () => {
  const directory = mkdtempSync(join(tmpdir(), "certificate-"))
  try {
    const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost"
    execFileSync("openssl", [...request.split(" "), "-keyout", "node.key", "-out", "node.crt"], {
      cwd: directory,
      stdio: "ignore"
    })
    const file = (name: string) => [name, readFileSync(join(directory, name), "utf8")]
    return Object.fromEntries([file("node.key"), file("node.crt")])
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const home = (port: number) => join(tmpdir(), `echomq-node-${port}`)

describe("a test node", () => {
  it.live("holds its seed when it accepts its first connection", () =>
    Effect.gen(function* () {
      const bytes = Uint8Array.of(0, 255, 13, 10)
      const node = yield* TestNode.make({
        seed: [
          ["SET", "{emq}:version", "echomq:6.0.0"],
          ["SET", "bytes", bytes],
          ["SET", "empty", ""]
        ]
      })
      expect(yield* ask(node.port, "GET {emq}:version")).toBe("$12\r\nechomq:6.0.0")
      expect(yield* node.adminBuffer("GET", "bytes")).toEqual(Buffer.from(bytes))
      expect(yield* node.admin("GET", "empty")).toBe("")
      expect(yield* node.writes).toBe(0)
    })
  )

  it.effect("starts under a clock that stands still", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      yield* node.restart
      expect(yield* node.admin("PING")).toBe("PONG")
    })
  )

  it.live("is a layer", () =>
    Effect.gen(function* () {
      const node = yield* TestNode
      expect(yield* node.admin("ECHO", "here")).toBe("here")
    }).pipe(Effect.provide(TestNode.layer()))
  )

  it.live("is killed, and comes back on its port with its data", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed: [["SET", "a", "0"]] })
      for (let value = 1; value <= 100; value++) yield* node.admin("SET", "a", value)
      yield* node.kill
      expect(yield* ask(node.port, "PING")).toBe(null)
      expect(yield* Effect.flip(node.admin("PING"))).toMatchObject({ _tag: "NodeError", reason: "stopped" })
      yield* node.restart
      expect(yield* ask(node.port, "GET a")).toBe("$3\r\n100")
      yield* node.restart
      expect(yield* node.admin("GET", "a")).toBe("100")
    })
  )

  it.live("is replaced on its port by another, with other data and other arguments", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      yield* node.admin("SET", "a", "old")
      yield* node.replace({ seed: [["SET", "b", "new"]], args: ["--requirepass", "secret"] })
      expect(yield* ask(node.port, "GET b")).toContain("NOAUTH")
      expect(yield* node.admin("KEYS", "*")).toEqual(["b"])
      yield* node.restart
      expect(yield* node.admin("KEYS", "*")).toEqual(["b"])
    })
  )

  it.live("never shows a replacement without its seed", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed: [["SET", "v", "first"]] })
      const seen = new Set<string>()
      const watcher = yield* Effect.forkChild(
        Effect.forever(
          Effect.gen(function* () {
            const answer = yield* ask(node.port, "GET v")
            if (answer !== null) seen.add(answer)
            yield* Effect.yieldNow
          })
        )
      )
      for (let round = 0; round < 5; round++) yield* node.replace({ seed: [["SET", "v", "again"]] })
      yield* Effect.sleep(50)
      yield* Fiber.interrupt(watcher)
      const values = [...seen].filter((answer) => !answer.startsWith("-LOADING"))
      expect(values.every((answer) => answer === "$5\r\nfirst" || answer === "$5\r\nagain")).toBe(true)
      expect(values).toContain("$5\r\nagain")
    })
  )

  it.live("answers nothing while it is paused", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      yield* node.pause
      expect(yield* ask(node.port, "PING", 300)).toBe(null)
      yield* node.resume
      expect(yield* ask(node.port, "PING")).toBe("+PONG")
    })
  )

  it.live("is killed also while it is paused", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      yield* node.pause
      yield* node.kill
      expect(yield* ask(node.port, "PING")).toBe(null)
    })
  )

  it.live("counts what others had it execute", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      yield* node.admin("HSET", "h", "field", 1)
      yield* node.admin("CLIENT", "LIST")
      expect(yield* node.executed).toEqual({})
      yield* ask(node.port, "SET a 1")
      yield* ask(node.port, "GET a")
      yield* ask(node.port, "EVAL \"return server.call('INCR', 'a')\" 0")
      yield* ask(node.port, "CLIENT SETNAME x")
      yield* ask(node.port, "LPUSH a 1")
      yield* ask(node.port, "SET a")
      expect(yield* node.executed).toEqual({
        set: 1,
        get: 1,
        eval: 1,
        incr: 1,
        "client|setname": 1,
        lpush: 1
      })
      const counts = yield* node.counts
      expect(counts.lpush).toEqual({ calls: 1, failed: 1, rejected: 0 })
      expect(counts.set).toEqual({ calls: 1, failed: 0, rejected: 1 })
      expect(yield* node.writes).toBe(2)
      yield* node.admin("CONFIG", "RESETSTAT")
      expect(yield* node.executed).toEqual({})
      yield* ask(node.port, "DEL a")
      expect(yield* node.writes).toBe(1)
      expect(yield* node.connectionsReceived).toBe(1)
    })
  )

  it.live("counts the connections of others", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      expect(yield* node.connectionsReceived).toBe(0)
      yield* ask(node.port, "PING")
      yield* ask(node.port, "PING")
      expect(yield* node.connectionsReceived).toBe(2)
      expect(yield* node.connectionsReceived).toBe(2)
      expect(yield* node.connections).toBe(0)
    })
  )

  it.live("passes on what the server says", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make()
      yield* node.admin("SET", "a", "x")
      expect(yield* Effect.flip(node.admin("INCR", "a"))).toMatchObject({
        reason: "reply",
        message: "ERR value is not an integer or out of range"
      })
    })
  )

  it.live("lets its admin in whatever its authentication", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({
        args: ["--user", "default", "off", "--user", "app", "on", ">pw", "~*", "+@all"]
      })
      expect(yield* ask(node.port, "GET a")).toContain("NOAUTH")
      expect(yield* ask(node.port, "AUTH app pw")).toBe("+OK")
      expect(yield* node.admin("ACL", "WHOAMI")).toBe("echomq-test-node")
    })
  )

  it.live("loads a module", () =>
    Effect.gen(function* () {
      const module = join(import.meta.dirname, "../../native/trafikey/target/echomq/trafikey.so")
      const node = yield* TestNode.make({ module })
      const names = (yield* node.admin("MODULE", "LIST")) as ReadonlyArray<ReadonlyArray<unknown>>
      expect(names.map((fields) => fields[1])).toEqual(["trafikey"])
      yield* node.replace({})
      expect(yield* node.admin("MODULE", "LIST")).toEqual([])
    })
  )

  it.live("serves TLS alone", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({
        tls: true,
        files: certificate(),
        args: [
          "--tls-cert-file",
          "node.crt",
          "--tls-key-file",
          "node.key",
          "--tls-auth-clients",
          "no"
        ].concat("--tls-ca-cert-file", "node.crt")
      })
      expect(yield* node.admin("PING")).toBe("PONG")
      expect(yield* ask(node.port, "PING")).toBe(null)
      expect(yield* askTls(node.port, "PING")).toBe("+PONG")
    })
  )

  it.live("answers LOADING for as long as asked", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed: [["SET", "a", "1"]] })
      yield* node.replace({ seed: [["SET", "a", "2"]], loading: 1_000, until: "listening" })
      expect(yield* ask(node.port, "GET a")).toContain("LOADING")
      yield* node.restart
      expect(yield* ask(node.port, "GET a")).toContain("LOADING")
      yield* node.replace({ seed: [["SET", "a", "3"]], loading: 500 })
      expect(yield* ask(node.port, "GET a")).toBe("$1\r\n3")
    })
  )

  it.live("leaves nothing behind when its scope closes", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const node = yield* TestNode.make().pipe(Scope.provide(scope))
      yield* node.replace({})
      expect(existsSync(home(node.port))).toBe(true)
      yield* Scope.close(scope, Exit.void)
      expect(yield* ask(node.port, "PING")).toBe(null)
      expect(existsSync(home(node.port))).toBe(false)
    })
  )

  it.live("leaves nothing behind when it is interrupted as it starts", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.scoped(TestNode.make({ loading: 20_000 })))
      yield* Effect.sleep(300)
      yield* Fiber.interrupt(fiber)
      expect(own()).toEqual([])
    })
  )

  it.live("says what the server said when it does not start, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.scoped(TestNode.make({ args: ["--no-such-option", "1"] })))
      expect(error).toMatchObject({ _tag: "NodeError", reason: "start" })
      expect(error.message).toContain("Bad directive")
      expect(own()).toEqual([])
    })
  )

  it.live("says so where a file that it is to have does not exist", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.scoped(TestNode.make({ module: "/nowhere/module.so" })))
      expect(error).toMatchObject({ _tag: "NodeError", reason: "start" })
      expect(error.message).toContain("/nowhere/module.so")
      expect(own()).toEqual([])
    })
  )

  it.live("goes on where a restart was interrupted", () =>
    Effect.gen(function* () {
      const node = yield* TestNode.make({ seed: [["SET", "a", "1"]], loading: 300 })
      const restart = yield* Effect.forkChild(node.restart)
      yield* Effect.sleep(150)
      yield* Fiber.interrupt(restart)
      expect(yield* Effect.flip(node.admin("PING"))).toMatchObject({ reason: "stopped" })
      yield* node.restart
      expect(yield* node.admin("GET", "a")).toBe("1")
    })
  )

  it.live("refuses a setting that it does not know", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.scoped(TestNode.make()))
      expect(error._tag).toBe("ConfigError")
      expect(error.message).toContain("EMQ_TEST_NODE")
    }).pipe(
      Effect.provideService(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown({ EMQ_TEST_NODE: "cloud" })
      )
    )
  )
})

/** The directories of nodes that this process has. */
const own = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith("echomq-node-") && isOwn(join(tmpdir(), name)))
const isOwn = (path: string) => {
  try {
    return readFileSync(join(path, "owner"), "utf8") === String(process.pid)
  } catch {
    return false
  }
}
