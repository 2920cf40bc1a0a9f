import { rmSync } from "node:fs"
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { atExit } from "./atExit.ts"
import { isAlive } from "./isAlive.ts"
import { NodeError } from "./NodeError.ts"
import type { NodeOptions } from "./NodeOptions.ts"
import { appendOnlyFile } from "./seed.ts"

/**
 * A port with a directory named after it. Having made the directory is having the port, for every suite on this
 * machine and for as long as the directory is there, also while no server listens. Removed with its scope; one
 * that a killed process has left behind is removed by the next that looks for a port.
 */
export interface Home {
  readonly port: number
  readonly path: string
}

/** Below the range from which systems take the ports of outgoing connections, so that none lands on a node's. */
const ports = { first: 20_000, count: 12_000 }
const prefix = "echomq-node-"
const owner = "owner"

export const home: Effect.Effect<Home, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(async () => {
    await removeOrphans()
    for (;;) {
      const port = ports.first + Math.floor(Math.random() * ports.count)
      const path = join(tmpdir(), prefix + port)
      if (!(await claim(path))) continue
      const forget = atExit(() => rmSync(path, { recursive: true, force: true }))
      if (await isFree(port)) return { port, path, forget }
      forget()
      await rm(path, { recursive: true, force: true })
    }
  }),
  ({ path, forget }) =>
    Effect.promise(async () => {
      await rm(path, { recursive: true, force: true, maxRetries: 3 })
      forget()
    })
)

/** Makes the directory of one node: its seed, its files, its module. */
export const furnish = (path: string, options: NodeOptions): Effect.Effect<void, NodeError> =>
  Effect.tryPromise({
    try: async () => {
      await mkdir(path, { recursive: true })
      for (const [name, text] of Object.entries(options.files ?? {})) await writeFile(join(path, name), text)
      if (options.module !== undefined) await copyFile(options.module, join(path, moduleFile))
      if (options.seed === undefined && options.loading === undefined) return
      await mkdir(join(path, "appendonlydir"))
      for (const [name, content] of appendOnlyFile(options.seed ?? [], options.loading)) {
        await writeFile(join(path, "appendonlydir", name), content)
      }
    },
    catch: (cause) => new NodeError({ reason: "start", message: String(cause), log: [] })
  })

/** Where `furnish` puts the module. */
export const moduleFile = "module.so"

const claim = async (path: string) => {
  try {
    await mkdir(path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false
    throw cause
  }
  await writeFile(join(path, owner), String(process.pid))
  return true
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

const removeOrphans = async () => {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue
    const path = join(tmpdir(), name)
    if (await isOrphan(path)) await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

const isOrphan = async (path: string) => {
  try {
    const pid = Number(await readFile(join(path, owner), "utf8"))
    if (pid > 0) return !isAlive(pid)
    return Date.now() - (await stat(path)).mtimeMs > 60_000
  } catch {
    return stat(path).then(
      (status) => Date.now() - status.mtimeMs > 60_000,
      () => false
    )
  }
}
