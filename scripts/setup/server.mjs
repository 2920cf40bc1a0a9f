import { writeFileSync } from "node:fs"
import { canInstall, codeName, install, isAvailable, sources, update } from "./apt.mjs"
import { Failure } from "./failure.mjs"
import { onPath } from "./paths.mjs"

const name = "valkey-server"
const instructions = `The tests and the demo need ${name} on PATH:
  Debian, Ubuntu  apt-get install ${name} (Debian 12: from bookworm-backports; this script does it as root)
  Fedora          dnf install valkey
  macOS           brew install valkey`

/** A Valkey server: the one on PATH, or Debian's. */
export const server = {
  isDone: () => onPath(name) !== undefined,
  run: async () => {
    if (!canInstall()) throw new Failure(instructions)
    const release = await releaseWithServer()
    await install([name], { release, note: release === undefined ? "" : ` from ${release}` })
    if (!server.isDone()) throw new Failure(instructions)
  }
}

/** The release to name to apt: undefined where the machine's own has the server, else its backports. */
const releaseWithServer = async () => {
  const backports = `${codeName()}-backports`
  const hasBackports = () => sources().some(({ release }) => release === backports)
  if (!isAvailable(name)) await update()
  if (!isAvailable(name)) {
    if (hasBackports()) throw new Failure(instructions)
    addRelease(backports)
    await update()
    if (!isAvailable(name)) throw new Failure(`${backports} has no ${name}.\n${instructions}`)
  }
  return hasBackports() ? backports : undefined
}

/** Adds a release on the mirror from which this machine has its own. */
const addRelease = (release) => {
  const mirror = sources().find(
    (source) => source.release === codeName() && source.component === "main"
  )?.site
  if (mirror === undefined) throw new Failure(`apt has no mirror of ${codeName()}.\n${instructions}`)
  const file = "/etc/apt/sources.list.d/echomq-backports.list"
  const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
  console.error(`setup: adding ${release} to apt's sources, in ${file}`)
  writeFileSync(file, `deb [signed-by=${keyring}] ${mirror} ${release} main\n`)
}
