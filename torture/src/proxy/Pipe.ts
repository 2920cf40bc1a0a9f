import type { Socket } from "node:net"
import { type Faults, none } from "./Faults.ts"

interface Held {
  readonly bytes: Buffer
  readonly due: number
}

/** How many bytes are held back before the source has to wait. */
const HELD_BYTES = 1 << 20

/** A throttled stream moves in steps of this length. */
const STEP_MILLIS = 20

/** One direction of a connection: what `source` sends reaches `sink` in order, as the faults of the moment allow. */
export class Pipe {
  readonly #source: Socket
  readonly #sink: Socket
  readonly #cut: () => void
  #faults = none
  #queue: Array<Held> = []
  #held = 0
  #lastDue = 0
  #left: number | null = null
  #over = false
  #timer: NodeJS.Timeout | undefined
  /** Whether bytes were swallowed, so that nothing may pass any more. */
  swallowed = false

  constructor(source: Socket, sink: Socket, faults: Faults, cut: () => void) {
    this.#source = source
    this.#sink = sink
    this.#cut = cut
    this.set(faults)
    source.on("data", (chunk: Buffer) => this.#take(chunk))
    source.once("close", () => {
      this.#over = true
      this.#pump()
    })
    sink.on("drain", () => this.#flow())
    sink.once("close", () => clearTimeout(this.#timer))
  }

  /** Whether the sink must not learn of what becomes of the source. */
  get silent(): boolean {
    return this.swallowed || this.#faults.hole
  }

  set(faults: Faults): void {
    if (faults.cutAfter !== this.#faults.cutAfter) this.#left = faults.cutAfter
    this.#faults = faults
    if (faults.delay > 0 || faults.rate !== null) return
    // What a delay or a throttle held back goes out when it ends.
    this.#queue = this.#queue.map(({ bytes }) => ({ bytes, due: 0 }))
    this.#pump()
  }

  #take(chunk: Buffer): void {
    if (this.#faults.hole) this.swallowed = true
    if (this.swallowed) return
    const { delay, rate } = this.#faults
    const step = rate === null ? chunk.length : Math.max(1, Math.floor((rate * STEP_MILLIS) / 1_000))
    for (let from = 0; from < chunk.length; from += step) {
      const bytes = chunk.subarray(from, from + step)
      const pause = rate === null ? 0 : (bytes.length * 1_000) / rate
      this.#lastDue = Math.max(this.#lastDue, performance.now() + delay) + pause
      this.#queue.push({ bytes, due: delay === 0 && rate === null ? 0 : this.#lastDue })
    }
    this.#held += chunk.length
    this.#pump()
    if (this.#held > HELD_BYTES) this.#source.pause()
  }

  #pump(): void {
    clearTimeout(this.#timer)
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const wait = next.due - performance.now()
      if (wait > 0) {
        this.#timer = setTimeout(() => this.#pump(), wait)
        return
      }
      this.#queue.shift()
      this.#held -= next.bytes.length
      if (!this.#pass(next.bytes)) return
    }
    if (!this.#over) this.#flow()
    else if (!this.silent) this.#sink.destroySoon()
  }

  #flow(): void {
    if (this.#held <= HELD_BYTES && !this.#sink.writableNeedDrain) this.#source.resume()
  }

  /** Whether the connection lives on. */
  #pass(bytes: Buffer): boolean {
    if (this.#faults.hole) this.swallowed = true
    if (this.swallowed) return true
    if (this.#left !== null && bytes.length >= this.#left) {
      this.#queue = []
      this.#sink.write(bytes.subarray(0, this.#left), this.#cut)
      this.#left = 0
      return false
    }
    if (this.#left !== null) this.#left -= bytes.length
    if (!this.#sink.write(bytes)) this.#source.pause()
    return true
  }
}
