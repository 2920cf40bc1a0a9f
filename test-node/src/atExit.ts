const pending = new Set<() => void>()

process.on("exit", () => {
  for (const action of pending) action()
})

/** Runs the action, which must be synchronous, when this process exits. The function returned takes it back. */
export const atExit = (action: () => void): (() => void) => {
  pending.add(action)
  return () => void pending.delete(action)
}
