import { canInstall, install } from "./apt.mjs"
import { Failure } from "./failure.mjs"
import { onPath } from "./paths.mjs"

const name = "chromium"
const instructions = `The tests of the site need ${name} on PATH. Install it, or run this as root on Debian.`

/** A browser: the one on PATH, or Debian's. Only for tests that drive the site. */
export const browser = {
  isDone: () => onPath(name) !== undefined,
  run: async () => {
    if (!canInstall()) throw new Failure(instructions)
    await install([name], { note: ", about 400 MB" })
    if (!browser.isDone()) throw new Failure(instructions)
  }
}
