import { join } from "node:path"
import { root } from "./paths.mjs"
import { run } from "./run.mjs"
import { digest, isStamped, stamp } from "./stamp.mjs"

const pnpm = "pnpm@12.21.0"
const stampPath = join(root, "node_modules/.cache/echomq/dependencies")
const current = () => digest(join(root, "pnpm-lock.yaml"), join(root, "pnpm-workspace.yaml"))

/** The npm packages of the workspace, as pnpm-lock.yaml has them. */
export const dependencies = {
  isDone: () => isStamped(stampPath, current()),
  run: async () => {
    const options = { cwd: root, shell: process.platform === "win32", env: { ...process.env, CI: "true" } }
    await run(
      "npm packages of the workspace",
      ["npx", "--yes", pnpm, "install", "--frozen-lockfile", "--reporter=append-only"],
      options
    )
    stamp(stampPath, current())
  }
}
