import { spawnSync } from "node:child_process"

/** What the `docker` command prints, or undefined where it fails. */
export const docker = (...args) => {
  const { status, stdout } = spawnSync("docker", args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"]
  })
  return status === 0 ? stdout.trim() : undefined
}
