import { connect } from "node:net"
import { Effect, Schedule } from "effect"
import type { Address } from "./clients.ts"

/** Ends when something accepts a connection at the address. */
export const accepts = ({ host, port }: Address): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(port, host)
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.succeed(true))
    })
    socket.once("error", () => resume(Effect.succeed(false)))
    return Effect.sync(() => socket.destroy())
  }).pipe(Effect.repeat({ until: (accepted) => accepted, schedule: Schedule.spaced("2 millis") }))
