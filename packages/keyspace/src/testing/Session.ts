import { Deferred, Effect } from "effect"
import {
  type CallError,
  type CapabilityAbsent,
  type Closed,
  type Disconnected,
  InexactInteger,
  ServerError
} from "../CallError.ts"
import type { FatalError } from "../FatalError.ts"
import type { Script } from "../Script.ts"
import { type Binary, binary } from "./Binary.ts"
import type { Raw, Raws } from "./Raw.ts"
import type { Server } from "./Server.ts"

/** Why a connection is no more. */
export type End = Disconnected | Closed | FatalError

/** What can befall the next call instead of its reply. `CapabilityAbsent` comes of the node's module. */
export type Planned = Exclude<CallError, CapabilityAbsent>

/** Of these nothing is sent. */
type Unsent = Exclude<Planned, ServerError | InexactInteger>

/** One connection to a node, for life. */
export class Session {
  readonly #server: Server
  readonly #planned: Array<Planned>
  /** What the node answers to everything, where it turns the connection away. */
  readonly #answer: ServerError | null
  readonly #flights = new Set<Deferred.Deferred<Raws, End>>()
  readonly #ended = Deferred.makeUnsafe<never, End>()
  readonly ended = Deferred.await(this.#ended)
  readonly #loaded = new Set<string>()

  constructor(server: Server, planned: Array<Planned>, answer: ServerError | null) {
    this.#server = server
    this.#planned = planned
    this.#answer = answer
    server.sessions.add(this)
  }

  get isEnded(): boolean {
    return Deferred.isDoneUnsafe(this.#ended)
  }

  /** Whether a script is known to the node, or was loaded over this connection. */
  isKnown({ lua }: Script): boolean {
    return this.#loaded.has(lua) || this.#server.known.has(binary(lua))
  }

  /** Loads a script, unless that was done over this connection before. */
  load({ lua }: Script): boolean {
    const isNew = !this.#loaded.has(lua)
    this.#loaded.add(lua)
    return isNew
  }

  /** Sends commands on the connector's own behalf. */
  send(
    sent: ReadonlyArray<ReadonlyArray<Binary>>,
    atomic = false,
    landed: (raws: Raws) => void = () => {}
  ): Effect.Effect<Raws, End> {
    return Effect.suspend(() => {
      if (this.isEnded) return this.ended
      const flight = Deferred.makeUnsafe<Raws, End>()
      this.#flights.add(flight)
      const land = (raws: Raws) => {
        if (!this.#flights.delete(flight)) return
        Deferred.doneUnsafe(flight, Effect.succeed(raws))
        landed(raws)
      }
      const answer = this.#answer
      if (answer === null) this.#server.receive(sent, atomic, () => this.#flights.has(flight), land)
      else land(sent.map(() => answer))
      return Deferred.await(flight)
    })
  }

  /** Sends the commands of a caller, unless a test has planned what becomes of them. `landed` sees their replies first. */
  call(
    sent: ReadonlyArray<ReadonlyArray<Binary>>,
    atomic = false,
    landed: (raws: Raws) => void = () => {}
  ): Effect.Effect<Raws, End | Unsent> {
    return Effect.suspend((): Effect.Effect<Raws, End | Unsent> => {
      const planned = this.#planned.shift()
      if (planned === undefined) return this.send(sent, atomic, landed)
      if (!(planned instanceof ServerError || planned instanceof InexactInteger)) return Effect.fail(planned)
      const isWhole = atomic && planned instanceof ServerError
      const rest = isWhole ? [] : planned instanceof ServerError ? sent.slice(1) : sent
      const replaced = (raws: Raws): Raws => {
        if (isWhole) return planned
        const replies: ReadonlyArray<Raw> = raws instanceof ServerError ? [] : raws
        return [planned, ...replies.slice(replies.length - sent.length + 1)]
      }
      return Effect.map(
        this.send(rest, atomic, (raws) => landed(replaced(raws))),
        replaced
      )
    })
  }

  /** What waits for replies is answered with the reason. */
  end(reason: End): void {
    if (!Deferred.doneUnsafe(this.#ended, Effect.fail(reason))) return
    this.#server.sessions.delete(this)
    const flights = [...this.#flights]
    this.#flights.clear()
    for (const flight of flights) Deferred.doneUnsafe(flight, Effect.fail(reason))
  }
}
