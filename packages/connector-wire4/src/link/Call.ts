import type { CommandError, Reply } from "@echomq/keyspace"
import type { Request } from "./Link.ts"

/** Who waits for replies: a command's caller for one, a pipeline's for several. */
export interface Waiter {
  readonly reply: (index: number, reply: Reply) => void
  readonly fail: (error: CommandError) => void
}

/** One command of a caller, from its acceptance until its reply, a failure or an interruption, whichever is first. */
export class Call implements Request {
  readonly name: string
  readonly args: Request["args"]
  readonly bytes: boolean
  readonly waiter: Waiter
  readonly index: number
  settled = false

  constructor(request: Request, waiter: Waiter, index: number) {
    this.name = request.name
    this.args = request.args
    this.bytes = request.bytes
    this.waiter = waiter
    this.index = index
  }
}
