import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { TestNode } from "@echomq/test-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

/** Runs a program that makes a node, until it prints a line. */
const run = async (name: "hold" | "once", environment: Record<string, string> = {}) => {
  const program = spawn(process.execPath, [join(import.meta.dirname, `programs/${name}.ts`)], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const lines: Array<string> = []
  createInterface(program.stdout).on("line", (line) => lines.push(line))
  while (lines.length === 0 && program.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 20))
  return { program, lines }
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })

describe("nodes that are processes", () => {
  it("say what to install where there is no server", async () => {
    const { lines } = await run("hold", { PATH: "/nowhere", EMQ_TEST_NODE: "process" })
    await expect
      .poll(() => lines.join("\n"))
      .toMatch(/valkey-server is not on PATH.*npm run setup.*apt-get install/s)
  })

  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    it(`die with a program that gets a ${signal}`, async () => {
      const { program, lines } = await run("hold", { EMQ_TEST_NODE: "process" })
      const port = Number(lines[0])
      expect(await listens(port)).toBe(true)
      program.kill(signal)
      await once(program, "exit")
      await expect.poll(() => listens(port)).toBe(false)
      await Effect.runPromise(Effect.scoped(TestNode.make()))
      expect(existsSync(join(tmpdir(), `echomq-node-${port}`))).toBe(false)
    })
  }
})

// Only where the nodes of this run are containers is there anything of these to remove.
if (process.env.EMQ_TEST_NODE === "container") {
  it("nodes in containers are removed by the next program, where theirs was killed", async () => {
    const { program, lines } = await run("hold")
    const port = Number(lines[0])
    program.kill("SIGKILL")
    await once(program, "exit")
    expect(await listens(port)).toBe(true)
    const next = await run("once")
    await once(next.program, "exit")
    expect(await listens(port)).toBe(false)
    expect(existsSync(join(tmpdir(), `echomq-node-${port}`))).toBe(false)
  })
}
