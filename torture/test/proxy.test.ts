import { connect, createServer, type Server, type Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { FaultProxy } from "../src/proxy/index.ts"

/** A server that answers every chunk with `prefix` and the chunk. */
const echo = (prefix = "") =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ server: Server; port: number; sockets: Set<Socket>; received: () => string }>(
          (resolve) => {
            const sockets = new Set<Socket>()
            let received = ""
            const server = createServer((socket) => {
              sockets.add(socket)
              socket.on("error", () => undefined)
              socket.on("close", () => sockets.delete(socket))
              socket.on("data", (chunk) => {
                received += chunk.toString()
                socket.write(prefix + chunk.toString())
              })
            })
            server.listen(0, "127.0.0.1", () => {
              const { port } = server.address() as { port: number }
              resolve({ server, port, sockets, received: () => received })
            })
          }
        )
    ),
    ({ server, sockets }) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
  )

/** A client that keeps what it got and how it ended. */
const client = (port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connect(port, "127.0.0.1")
      const seen = { socket, got: "", end: "" }
      socket.on("data", (chunk) => {
        seen.got += chunk.toString()
      })
      socket.on("error", (error: NodeJS.ErrnoException) => {
        seen.end = error.code ?? error.message
      })
      socket.on("close", () => {
        seen.end ||= "closed"
      })
      return seen
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

const until = (what: () => boolean) =>
  Effect.gen(function* () {
    const start = performance.now()
    while (!what()) yield* Effect.sleep("2 millis")
    return performance.now() - start
  }).pipe(Effect.timeout("5 seconds"))

const set = Effect.gen(function* () {
  const server = yield* echo()
  const proxy = yield* FaultProxy.make({ host: "127.0.0.1", port: server.port })
  const one = yield* client(proxy.port)
  one.socket.write("a")
  yield* until(() => one.got === "a")
  return { server, proxy, one }
})

describe("the fault proxy", () => {
  it.live("passes bytes, and the end of either side", () =>
    Effect.gen(function* () {
      const { one, proxy, server } = yield* set
      const big = "x".repeat(3_000_000)
      one.socket.write(big)
      yield* until(() => one.got.length === big.length + 1)
      for (const socket of server.sockets) socket.destroy()
      yield* until(() => one.end === "closed" && proxy.connections === 0)
      const two = yield* client(proxy.port)
      two.socket.write("b")
      yield* until(() => two.got === "b")
      two.socket.destroy()
      yield* until(() => server.sockets.size === 0 && proxy.connections === 0)
    })
  )

  it.live("delays one direction, and lets go what it held when it heals", () =>
    Effect.gen(function* () {
      const { one, proxy, server } = yield* set
      proxy.set("down", { delay: 100 })
      one.socket.write("b")
      yield* until(() => server.received() === "ab")
      expect(one.got).toBe("a")
      expect(yield* until(() => one.got === "ab")).toBeGreaterThan(60)
      proxy.set("up", { delay: 60_000 })
      one.socket.write("c")
      yield* Effect.sleep("30 millis")
      expect(server.received()).toBe("ab")
      proxy.heal()
      yield* until(() => one.got === "abc")
    })
  )

  it.live("throttles", () =>
    Effect.gen(function* () {
      const { one, proxy } = yield* set
      proxy.set("up", { rate: 10_000 })
      one.socket.write("x".repeat(2_000))
      const took = yield* until(() => one.got.length === 2_001)
      expect(took).toBeGreaterThan(150)
      expect(took).toBeLessThan(1_000)
    })
  )

  it.live.each([0, 1, 3])("cuts after %i bytes, also of what comes in one piece", (bytes) =>
    Effect.gen(function* () {
      const { one, proxy, server } = yield* set
      proxy.set("up", { cutAfter: bytes })
      one.socket.write("12345")
      yield* until(() => one.end === "closed" && server.sockets.size === 0)
      expect(server.received()).toBe(`a${"12345".slice(0, bytes)}`)
    })
  )

  it.live("cuts the replies of each connection by itself, those to come included", () =>
    Effect.gen(function* () {
      const { one, proxy, server } = yield* set
      proxy.set("down", { cutAfter: 2 })
      const two = yield* client(proxy.port)
      one.socket.write("xyz")
      two.socket.write("pqr")
      yield* until(() => one.end === "closed" && two.end === "closed")
      expect([one.got, two.got]).toEqual(["axy", "pq"])
      expect(server.received()).toContain("xyz")
    })
  )

  it.live("swallows what it is told, keeps the sockets open, and never passes a gap", () =>
    Effect.gen(function* () {
      const { one, proxy, server } = yield* set
      proxy.set("down", { hole: true })
      one.socket.write("b")
      yield* until(() => server.received() === "ab")
      for (const socket of server.sockets) socket.resetAndDestroy()
      yield* Effect.sleep("50 millis")
      expect([one.got, one.end]).toEqual(["a", ""])
      proxy.heal()
      yield* until(() => one.end === "ECONNRESET")
    })
  )

  it.live("resets", () =>
    Effect.gen(function* () {
      const { one, proxy, server } = yield* set
      proxy.reset()
      yield* until(() => one.end === "ECONNRESET" && server.sockets.size === 0)
    })
  )

  it.live("refuses new connections and keeps the others, then accepts again", () =>
    Effect.gen(function* () {
      const { one, proxy } = yield* set
      yield* proxy.refuse
      const two = yield* client(proxy.port)
      yield* until(() => two.end === "ECONNREFUSED")
      one.socket.write("b")
      yield* until(() => one.got === "ab")
      yield* proxy.accept
      const three = yield* client(proxy.port)
      three.socket.write("c")
      yield* until(() => three.got === "c")
    })
  )

  it.live("routes new connections elsewhere and leaves the others where they are", () =>
    Effect.gen(function* () {
      const { one, proxy } = yield* set
      const other = yield* echo("other ")
      proxy.route({ host: "127.0.0.1", port: other.port })
      const two = yield* client(proxy.port)
      one.socket.write("b")
      two.socket.write("c")
      yield* until(() => one.got === "ab" && two.got === "other c")
    })
  )

  it.live("resets a client whose server is not there", () =>
    Effect.gen(function* () {
      const { proxy, server } = yield* set
      server.server.close()
      const two = yield* client(proxy.port)
      yield* until(() => two.end === "ECONNRESET")
    })
  )
})
