// Publishes what the registry does not have yet: `npm run release`, as the release workflow runs it. Provenance asks
// that each package names the repository that it was made from; it is that of the workflow, whichever fork's.
import { spawnSync } from "node:child_process"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { root } from "./setup/paths.mjs"

const { GITHUB_REPOSITORY, GITHUB_SERVER_URL } = process.env
if (GITHUB_REPOSITORY === undefined || GITHUB_SERVER_URL === undefined) {
  console.error("publish: this runs in the release workflow, where GITHUB_REPOSITORY is set")
  process.exit(1)
}

for (const path of globSync(join(root, "packages/*/package.json"))) {
  const directory = `packages/${basename(join(path, ".."))}`
  const repository = { type: "git", url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`, directory }
  writeFileSync(
    path,
    `${JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), repository }, null, 2)}\n`
  )
}

const { status } = spawnSync("node_modules/.bin/changeset", ["publish"], { cwd: root, stdio: "inherit" })
process.exit(status ?? 1)
