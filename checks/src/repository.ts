import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

/** The checkout. */
export const root = resolve(import.meta.dirname, "../..")

/** Files that are of the repository, or are about to be, by patterns of git's. */
export const files = (...patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...patterns], {
    cwd: root,
    encoding: "utf8"
  })
    .split("\n")
    .filter((path) => path !== "")

export const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** An empty directory whose modules are resolved as this package's are. */
export const cache = (name: string): string => {
  const path = join(root, "checks/node_modules/.cache", name)
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true })
  return path
}

/** A directory outside of the checkout, gone when this process is. */
export const temporary = (name: string): string => {
  const path = mkdtempSync(join(tmpdir(), `echomq-${name}-`))
  process.once("exit", () => rmSync(path, { recursive: true, force: true }))
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
  return path
}

/** The packages that are published, in the order in which they depend on one another. */
export const packages = ["keyspace", "connector-wire4", "connector-wire6"] as const

/** Ends the check: prints what is wrong, or what was found right. */
export const conclude = (problems: ReadonlyArray<string>, right: string): void => {
  for (const problem of problems) console.error(problem)
  if (problems.length === 0) console.log(right)
  process.exitCode = problems.length === 0 ? 0 : 1
}
