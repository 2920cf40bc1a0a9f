import { spawn } from "node:child_process"
import { existsSync, openSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { canInstall, install } from "./apt.mjs"
import { docker } from "./docker.mjs"
import { Failure } from "./failure.mjs"
import { image } from "./image.mjs"
import { onPath } from "./paths.mjs"
import { run } from "./run.mjs"

const answers = () => docker("info", "--format", "{{.ServerVersion}}") !== undefined
const instructions =
  "EMQ_TEST_NODE=container needs a container engine. Install and start Docker, or run this as root on Debian."

/** A container engine that answers, and an image of Valkey. Only for tests that run their nodes in containers. */
export const engine = {
  isDone: () => answers() && image.isDone(),
  run: async () => {
    if (!answers()) {
      if (onPath("dockerd") === undefined) {
        if (!canInstall()) throw new Failure(instructions)
        await install(["docker.io"], { note: ", about 300 MB" })
      }
      await startEngine()
    }
    if (!image.isDone()) await image.run()
  }
}

const startEngine = async () => {
  if (existsSync("/run/systemd/system")) {
    await run("starting the container engine", ["systemctl", "start", "docker"], { advice: instructions })
    return
  }
  const log = (await startDaemon([])) && (await startDaemon(["--storage-driver=vfs"]))
  if (log !== undefined) throw new Failure(`dockerd does not start.\n${log}\n${instructions}`)
}

/**
 * Starts the daemon by hand, to stay. The nodes are on the network of the host, so it needs no network of its own,
 * nor the right to make one. The end of its log, where it does not come up.
 */
const startDaemon = async (more) => {
  const path = join(tmpdir(), "echomq-dockerd.log")
  const log = openSync(path, "w")
  const flags = ["--bridge=none", "--iptables=false", "--ip6tables=false", ...more]
  const daemon = spawn("dockerd", flags, { detached: true, stdio: ["ignore", log, log] })
  daemon.once("error", () => undefined)
  daemon.unref()
  console.error(`setup: starting dockerd ${flags.join(" ")}, its log in ${path}`)
  for (let tries = 0; tries < 150 && daemon.exitCode === null && daemon.pid !== undefined; tries++) {
    if (answers()) {
      console.error(`setup: dockerd runs, as process ${daemon.pid}`)
      return undefined
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  daemon.kill()
  return readFileSync(path, "utf8").trimEnd().split("\n").slice(-5).join("\n")
}
