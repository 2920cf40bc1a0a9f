import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** A digest of files and of whole directories of them, names included. */
export const digest = (...paths) => {
  const hash = createHash("sha256")
  const add = (path) => {
    if (!existsSync(path)) return
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) add(join(path, name))
    } else {
      hash.update(path).update("\0").update(readFileSync(path)).update("\0")
    }
  }
  for (const path of paths) add(path)
  return hash.digest("hex")
}

/** Whether the stamp at this path is the digest: what it stands for was made from these very files. */
export const isStamped = (path, digest) => existsSync(path) && readFileSync(path, "utf8") === digest

export const stamp = (path, digest) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, digest)
}
