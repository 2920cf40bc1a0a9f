import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { Failure } from "./failure.mjs"
import { onPath } from "./paths.mjs"
import { run } from "./run.mjs"

/** Whether this process may install packages with apt. */
export const canInstall = () =>
  process.platform === "linux" && process.getuid() === 0 && onPath("apt-get") !== undefined

/** The code name of the release, `bookworm` for one, where this is Debian or a derivative. */
export const codeName = () => {
  try {
    return /^VERSION_CODENAME=(.*)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1]
  } catch {
    return undefined
  }
}

/** Whether apt knows a version of the package that it could install. */
export const isAvailable = (name) => /^ {2}Candidate: (?!\(none\))/m.test(ask("apt-cache", "policy", name))

/** The site and the release of each package index among apt's sources. */
export const sources = () =>
  ask("apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)", "Created-By: Packages")
    .trim()
    .split("\n")
    .map((line) => line.split(" "))
    .map(([site, release, component]) => ({ site, release, component }))

/** Fetches apt's lists. A list that cannot be had is passed over: the one that matters may be there. */
export const update = () => run("package lists (apt-get update)", ["apt-get", ...apt, "update"], { env })

/** Installs packages, from the given release where there is one. No service is started. */
export const install = async (names, { release, note = "" } = {}) => {
  if (!canInstall()) throw new Failure(`Install ${names.join(", ")}, or run this as root on Debian.`)
  if (!names.every(isAvailable)) await update()
  const target = release === undefined ? [] : ["-t", release]
  const command = ["apt-get", ...apt, "install", "--yes", "--no-install-recommends", ...target, ...names]
  await withoutServices(() => run(`Debian packages: ${names.join(", ")}${note}`, command, { env }))
}

const apt = ["-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Use-Pty=0"]
const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" }

const ask = (program, ...args) => spawnSync(program, args, { encoding: "utf8", env }).stdout ?? ""

/** Debian starts a service as it installs it, unless this file says no. */
const policy = "/usr/sbin/policy-rc.d"

const withoutServices = async (action) => {
  if (existsSync(policy)) return action()
  const remove = () => rmSync(policy, { force: true })
  const abort = () => process.exit(130)
  writeFileSync(policy, "#!/bin/sh\nexit 101\n")
  chmodSync(policy, 0o755)
  process.once("exit", remove).once("SIGINT", abort).once("SIGTERM", abort)
  try {
    return await action()
  } finally {
    process.off("exit", remove).off("SIGINT", abort).off("SIGTERM", abort)
    remove()
  }
}
