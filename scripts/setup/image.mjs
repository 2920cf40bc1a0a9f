import { spawnSync } from "node:child_process"
import { docker } from "./docker.mjs"
import { Failure } from "./failure.mjs"
import { onPath } from "./paths.mjs"
import { run } from "./run.mjs"
import { digest } from "./stamp.mjs"

const official = "valkey/valkey:8"
const local = "echomq/test-valkey:local"
const label = "echomq.server"
const server = () => onPath("valkey-server")

/** An image of Valkey: what `EMQ_TEST_IMAGE` names, Valkey's own, or one made of this machine's server. */
export const image = {
  isDone: () =>
    process.env.EMQ_TEST_IMAGE !== undefined ||
    docker("image", "inspect", official) !== undefined ||
    docker("image", "inspect", "--format", `{{index .Config.Labels "${label}"}}`, local) === digest(server()),
  run: async () => {
    try {
      await run(`image ${official}`, ["docker", "pull", "--quiet", official], {
        timeout: 180_000,
        quiet: true
      })
    } catch (cause) {
      if (!(cause instanceof Failure)) throw cause
      console.error(`setup: ${official} cannot be had; making ${local} of this machine's server`)
      await importServer()
    }
  }
}

/** An image of nothing but the server, what it is linked with, and what a module in Rust is linked with. */
const importServer = async () => {
  const files = [server(), ...librariesOf(server()), compilerRuntime()].filter(Boolean)
  const names = [...new Set(files)].map((path) => `'${path.slice(1)}'`)
  const changes = [`ENTRYPOINT ["${server()}"]`, `LABEL ${label}=${digest(server())}`]
  const options = changes.map((change) => `--change '${change}'`)
  const command = `tar -C / -ch ${names.join(" ")} | docker import ${options.join(" ")} - ${local}`
  await run(`image ${local}`, ["bash", "-o", "pipefail", "-c", command])
}

const print = (program, ...args) => spawnSync(program, args, { encoding: "utf8" }).stdout ?? ""
const librariesOf = (path) => [...print("ldd", path).matchAll(/(\/\S+) \(0x/g)].map((match) => match[1])
const compilerRuntime = () =>
  /libgcc_s\.so\.1 .*x86-64.* => (\S+)|libgcc_s\.so\.1 .* => (\S+)/.exec(libraries())?.slice(1).find(Boolean)
const libraries = () => print("/sbin/ldconfig", "-p")
