import { createServer } from "node:net"

/**
 * Runs the action while no other set-up on this machine does. The lock is an abstract Unix socket: the kernel frees
 * it when its holder is gone, however that came about. Only Linux has those, and only there does the set-up change
 * the machine; elsewhere it runs pnpm and cargo, and the action runs unlocked.
 */
export const locked = async (action) => {
  if (process.platform !== "linux") return action()
  let lock = await acquire()
  if (lock === undefined) console.error("setup: waiting for another set-up on this machine")
  while (lock === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    lock = await acquire()
  }
  try {
    return await action()
  } finally {
    lock.close()
  }
}

const acquire = () =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", (cause) => (cause.code === "EADDRINUSE" ? resolve(undefined) : reject(cause)))
    server.listen("\0echomq-setup", () => resolve(server))
  })
