import { isUtf8 } from "node:buffer"
import type { ConnectFailed } from "@echomq/keyspace"
import {
  Decoder,
  GlideClient,
  GlideClientConfiguration,
  type GlideString,
  NodeDiscoveryMode,
  ProtocolVersion,
  type PubSubMsg
} from "@valkey/valkey-glide"
import { Effect, Redacted, type Scope } from "effect"
import type { Subscription } from "../Dialer.ts"
import type { Target } from "../Target.ts"
import { failed } from "./Dial.ts"
import { hangUp } from "./HangUp.ts"

const { PubSubChannelModes } = GlideClientConfiguration

const text = (value: GlideString): string | Uint8Array =>
  typeof value !== "string" && isUtf8(value) ? value.toString() : value

/** Credentials are GLIDE's here, for its reconnects; a link has passed the fence with them just before. */
const create = (
  target: Target,
  { credentials, mode, names, onMessage }: Subscription
): Promise<GlideClient> =>
  GlideClient.createClient({
    addresses: [{ host: target.host, port: target.port }],
    protocol: ProtocolVersion.RESP3,
    nodeDiscoveryMode: NodeDiscoveryMode.Static,
    defaultDecoder: Decoder.Bytes,
    requestTimeout: target.requestTimeout,
    connectionBackoff: { numberOfRetries: 1, factor: 100, exponentBase: 2 },
    useTLS: target.tls !== null,
    ...(credentials === null
      ? {}
      : { credentials: { ...credentials, password: Redacted.value(credentials.password) } }),
    pubsubSubscriptions: {
      channelsAndPatterns: {
        [mode === "channels" ? PubSubChannelModes.Exact : PubSubChannelModes.Pattern]: new Set(names)
      },
      callback: ({ channel, message, pattern }: PubSubMsg) =>
        onMessage({
          channel: text(channel),
          message: text(message),
          pattern: pattern === null || pattern === undefined ? null : text(pattern)
        })
    },
    advancedConfiguration: {
      connectionTimeout: target.connectTimeout,
      ...(target.tls?.ca === undefined
        ? {}
        : { tlsAdvancedConfiguration: { rootCertificates: target.tls.ca } })
    }
  })

/** A client that listens, and reconnects and subscribes again by itself: it writes nothing. */
export const subscribe = Effect.fnUntraced(function* (
  target: Target,
  subscription: Subscription
): Effect.fn.Return<void, ConnectFailed, Scope.Scope> {
  let closed = false
  let client: GlideClient | undefined
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      closed = true
      if (client !== undefined) hangUp(client)
    })
  )
  yield* Effect.tryPromise({
    try: () =>
      create(target, subscription).then((created) => {
        client = created
        if (closed) hangUp(created)
      }),
    catch: (error) => failed(target, error)
  })
})
