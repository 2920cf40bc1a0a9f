import { randomUUID } from "node:crypto"
import type { Reply, ServerError } from "@echomq/keyspace"
import {
  Batch,
  ClosingError,
  ConnectionError,
  Decoder,
  GlideClient,
  Logger,
  NodeDiscoveryMode,
  ProtocolVersion,
  TimeoutError
} from "@valkey/valkey-glide"
import { Deferred, Effect } from "effect"
import type { Link, Replies, Request } from "../Link.ts"
import type { Target } from "../Target.ts"
import { restore } from "./ErrorText.ts"
import { hangUp } from "./HangUp.ts"
import { knock } from "./Knock.ts"
import { expectOneMore, onHint } from "./LossHint.ts"
import { normalise } from "./ReplyForm.ts"

/** How long a probe may take before its link is in doubt, and an answer that is on its way when the doubt is over. */
const PROBE_MILLIS = 50
const GRACE_MILLIS = 50

/** No limit: GLIDE also counts requests that nobody waits for any more, and a refusal would look like a loss. */
const REQUEST_LIMIT = 2 ** 31 - 1

/** The connector's own time-out comes first, since it knows whose call it was; GLIDE's stands behind it. */
const TIMEOUT_SLACK_MILLIS = 1_000

/** A reply that is not UTF-8 would end the process under GLIDE's own decoder. */
const asBytes = { decoder: Decoder.Bytes }

// It prints warnings to standard output otherwise; a logger that the application set stays.
Logger.init("off")

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** One GLIDE client, allowed one connection in its life. */
export class GlideLink implements Link {
  readonly #target: Target
  readonly #pin = `pin-${randomUUID()}`
  readonly #loss = Deferred.makeUnsafe<string>()
  #client: GlideClient | undefined
  #closed = false
  #unhint = () => {}
  #endProbe: (() => void) | null = null

  readonly pinProof = ["AUTH", this.#pin]
  readonly loss = Deferred.await(this.#loss)

  constructor(target: Target) {
    this.#target = target
  }

  /**
   * Creates the client and pins it: from then on its own reconnects send a password that
   * every server refuses, so that it can never serve from a second connection.
   * Credentials, database and name are left to the boot, whose refusals have reasons.
   */
  open(): Promise<void> {
    const { blocks, connectTimeout, host, port, requestTimeout, tls } = this.#target
    return GlideClient.createClient({
      addresses: [{ host, port }],
      protocol: ProtocolVersion.RESP2,
      nodeDiscoveryMode: NodeDiscoveryMode.Static,
      requestTimeout: requestTimeout + TIMEOUT_SLACK_MILLIS,
      inflightRequestsLimit: REQUEST_LIMIT,
      // Zero retries would spin a runtime thread for ever. The pause is twice the factor, less a fifth: longer than
      // a request can hold on to a closed client, which would go on knocking at the server until then.
      connectionBackoff: {
        numberOfRetries: 1,
        factor: requestTimeout + TIMEOUT_SLACK_MILLIS,
        exponentBase: 2
      },
      useTLS: tls !== null,
      advancedConfiguration: {
        connectionTimeout: connectTimeout,
        ...(tls?.ca === undefined ? {} : { tlsAdvancedConfiguration: { rootCertificates: tls.ca } })
      }
    }).then((client) => {
      this.#client = client
      expectOneMore()
      if (this.#closed) return hangUp(client)
      return client.updateConnectionPassword(this.#pin, false).then(() => {
        if (!blocks && !this.#closed) this.#unhint = onHint(() => this.#probe(client))
      })
    })
  }

  /**
   * Even one request goes as a batch, which GLIDE carries faster than one by itself, and does not spoil: of a stream's
   * read by itself it takes any `BLOCK` for the option, and an error in a script's reply fails all of that.
   */
  send(requests: ReadonlyArray<Request>, atomic: boolean, done: (replies: Replies) => void): void {
    const client = this.#client
    if (client === undefined) {
      done(null)
      return
    }
    const batch = new Batch(atomic)
    for (const request of requests) batch.customCommand(request.args as Array<string | Buffer>)
    client.exec(batch, false, asBytes).then(
      (raw) => done(raw === null ? null : this.#each(raw, requests)),
      (error: unknown) => done(this.#serverError(error))
    )
  }

  /** A batch that was cut off ends in the driver's own errors: then nothing is known of any of it. */
  #each(raw: ReadonlyArray<unknown>, requests: ReadonlyArray<Request>): Replies {
    const replies = new Array<Reply>(requests.length)
    for (let i = 0; i < requests.length; i++) {
      const value = raw[i]
      const request = requests[i]
      const reply =
        typeof value === "object" && value instanceof Error
          ? this.#serverError(value)
          : request && normalise(value, request)
      if (reply === undefined || (reply === null && value instanceof Error)) return null
      replies[i] = reply
    }
    return replies
  }

  /** The server's error, or `null` for one of the driver's, which means the loss of the link unless it is a time-out. */
  #serverError(error: unknown): ServerError | null {
    if (error instanceof TimeoutError) return null
    const lost = error instanceof ConnectionError || error instanceof ClosingError
    const server = lost ? null : restore(text(error))
    if (server !== null) return server
    this.lose(text(error))
    return null
  }

  /**
   * Asks the link for a sign of life. Where none comes, a fresh connection tells a lost link from a slow server: that
   * one answers, or is refused, while the link owes its answer; or it has to wait as well.
   */
  #probe(client: GlideClient): void {
    if (this.#endProbe !== null) return
    const answer = Effect.callback<void>((resume) => {
      client
        .customCommand(["PING"], asBytes)
        .catch((error: unknown) => this.#serverError(error))
        .finally(() => resume(Effect.void))
    })
    const verdict = Effect.sleep(PROBE_MILLIS).pipe(
      Effect.andThen(Effect.exit(knock(this.#target))),
      Effect.andThen(Effect.sleep(GRACE_MILLIS)),
      Effect.andThen(Effect.sync(() => this.lose("no answer to a probe")))
    )
    this.#endProbe = Effect.runCallback(Effect.raceFirst(answer, verdict), {
      onExit: () => {
        this.#endProbe = null
      }
    })
  }

  /** Ends the link, where something else than the driver knows that its connection is gone. */
  lose(how: string): void {
    Deferred.doneUnsafe(this.#loss, Effect.succeed(how))
  }

  /** Also ends an `open` that is still under way. */
  close(): void {
    this.#closed = true
    this.#unhint()
    this.#endProbe?.()
    if (this.#client !== undefined) hangUp(this.#client)
    this.lose("closed")
  }
}
