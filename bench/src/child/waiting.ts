import { connect } from "node:net"
import { Effect } from "effect"
import { type Kind, load } from "../clients/kinds.ts"
import { ofEffects } from "../clients/ofEffects.ts"
import type { Job } from "./jobs.ts"
import { memory } from "./memory.ts"

/** Says one thing to the server over a connection of its own, and waits for the answer. */
const tell = (port: number, line: string) =>
  Effect.callback<void>((resume) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${line}\r\n`))
    socket.once("data", () => {
      socket.destroy()
      resume(Effect.void)
    })
  })

/** Fibers that wait for nothing but their release, as the measure of what a caller costs by itself. */
const fibers = () => {
  const waiting: Array<() => void> = []
  const call = () =>
    Effect.callback<void>((resume) => {
      waiting.push(() => resume(Effect.void))
    })
  const client = ofEffects({ SET: call, GET: call, "GET 1 KB": call, EVALSHA: call })
  const release = Effect.sync(() => {
    for (const resume of waiting) resume()
  })
  return { client, release }
}

const real = (kind: Kind, port: number) =>
  Effect.gen(function* () {
    const open = yield* Effect.promise(() => load(kind))
    const client = yield* open(port)
    // The server takes no writes until it is told to go on.
    yield* tell(port, "CLIENT PAUSE 100000 WRITE")
    return { client, release: tell(port, "CLIENT UNPAUSE") }
  })

/** The memory that each of many calls takes while it waits for a server that does not answer. */
export const waiting = Effect.fnUntraced(function* ({ count, kind, port }: Extract<Job, { job: "waiting" }>) {
  const { client, release } = kind === "fiber" ? fibers() : yield* real(kind, port)
  const before = yield* memory
  const done = client.burst("SET", count)
  yield* Effect.sleep("2 seconds")
  const after = yield* memory
  yield* release
  yield* Effect.promise(() => done)
  return {
    heap: (after.heap - before.heap) / count,
    resident: (after.resident - before.resident) / count
  }
})
