import { ConnectFailed, DEFAULT_LIMITS, type Limits } from "@echomq/keyspace"
import { Duration, Effect, Option, Redacted, Result } from "effect"
import { address, type Target, type Tls } from "./Target.ts"
import { parseUrl } from "./Url.ts"

/**
 * How to reach a node, and the bounds of a connector. Where `url` and a field of its
 * own name the same thing, the field decides.
 */
export interface Options extends Limits {
  /** `valkey://user:password@host:port/database`, also `redis:`; `valkeys:` and `rediss:` turn TLS on. */
  readonly url?: string | Redacted.Redacted<string> | undefined
  /** Default: `127.0.0.1`. */
  readonly host?: string | undefined
  /** Default: 6379. */
  readonly port?: number | undefined
  /** The ACL user. Default: the server's default user. */
  readonly username?: string | undefined
  /** An effect is asked at each dial, so that a rotated password is picked up. Default: none. */
  readonly password?: Redacted.Redacted<string> | Effect.Effect<Redacted.Redacted<string>> | undefined
  /** Default: 0. */
  readonly database?: number | undefined
  /** The name that `CLIENT LIST` shows. Default: none. */
  readonly clientName?: string | undefined
  /** TLS, and whom to trust. GLIDE for Node.js takes no client certificate. Default: off. */
  readonly tls?: boolean | Tls | undefined
  /** How many bytes the arguments of one command may have together. Default: 64 MiB. */
  readonly commandLimit?: number | undefined
}

/** Options with every default applied and every value checked. Times are in milliseconds. */
export interface Settings {
  readonly target: Target
  readonly credentials: {
    readonly username: string | undefined
    readonly password: Effect.Effect<Redacted.Redacted<string>>
  } | null
  readonly database: number
  readonly clientName: string | undefined
  readonly backoff: { readonly base: number; readonly max: number }
  readonly heartbeat: number
  readonly linkTimeout: number
  readonly commandTimeout: number
  readonly pendingLimit: number
  readonly commandLimit: number
}

type Checked<A> = Result.Result<A, string>

const whole = (name: string, value: number, least: number, most: number): Checked<number> =>
  Number.isInteger(value) && value >= least && value <= most
    ? Result.succeed(value)
    : Result.fail(`${name} must be a whole number from ${least} to ${most}`)

/** Longer times would overflow the timers of the runtime. */
const MOST_MILLIS = 2 ** 31 - 1

const millis = (name: string, input: Duration.Input): Checked<number> => {
  const value = Option.match(Duration.fromInput(input), {
    onNone: () => Number.NaN,
    onSome: Duration.toMillis
  })
  return value >= 1 && value <= MOST_MILLIS
    ? Result.succeed(value)
    : Result.fail(`${name} must be a duration from 1 ms to ${MOST_MILLIS} ms`)
}

const present = (name: string, value: string): Checked<string> =>
  value === "" ? Result.fail(`${name} must not be empty`) : Result.succeed(value)

const hostName = (value: string): Checked<string> =>
  /^[^\s\p{Cc}]+$/u.test(value) ? Result.succeed(value) : Result.fail("host must be a name or an address")

const check = (options: Options): Checked<Settings> =>
  Result.gen(function* () {
    const url = options.url === undefined ? {} : yield* parseUrl(options.url)
    const tls = options.tls ?? url.tls ?? false
    const username = options.username ?? url.username
    const password = options.password ?? url.password
    const commandTimeout = yield* millis(
      "commandTimeout",
      options.commandTimeout ?? DEFAULT_LIMITS.commandTimeout
    )
    const pendingLimit = yield* whole(
      "pendingLimit",
      options.pendingLimit ?? DEFAULT_LIMITS.pendingLimit,
      1,
      10_000_000
    )
    return {
      target: {
        host: yield* hostName(options.host ?? url.host ?? "127.0.0.1"),
        port: yield* whole("port", options.port ?? url.port ?? 6379, 1, 65_535),
        tls: tls === false ? null : tls === true ? {} : tls,
        connectTimeout: yield* millis(
          "connectTimeout",
          options.connectTimeout ?? DEFAULT_LIMITS.connectTimeout
        ),
        requestTimeout: commandTimeout,
        blocks: false
      },
      credentials:
        username === undefined && password === undefined
          ? null
          : { username, password: passwordOf(password ?? Redacted.make("")) },
      database: yield* whole("database", options.database ?? url.database ?? 0, 0, MOST_MILLIS),
      clientName:
        options.clientName === undefined ? undefined : yield* present("clientName", options.clientName),
      backoff: {
        base: yield* millis("backoff.base", options.backoff?.base ?? DEFAULT_LIMITS.backoff.base),
        max: yield* millis("backoff.max", options.backoff?.max ?? DEFAULT_LIMITS.backoff.max)
      },
      heartbeat: yield* millis("heartbeat", options.heartbeat ?? DEFAULT_LIMITS.heartbeat),
      linkTimeout: yield* millis("linkTimeout", options.linkTimeout ?? DEFAULT_LIMITS.linkTimeout),
      commandTimeout,
      pendingLimit,
      commandLimit: yield* whole("commandLimit", options.commandLimit ?? 2 ** 26, 1, 2 ** 29)
    }
  })

const passwordOf = (password: NonNullable<Options["password"]>): Effect.Effect<Redacted.Redacted<string>> =>
  Effect.isEffect(password) ? password : Effect.succeed(password)

/** Fails with `ConnectFailed`, `options`, which names the option and never its value. */
export const resolve = (options: Options): Effect.Effect<Settings, ConnectFailed> =>
  Result.match(check(options), {
    onSuccess: Effect.succeed,
    onFailure: (detail) =>
      Effect.fail(
        new ConnectFailed({
          address: address({ host: options.host ?? "127.0.0.1", port: options.port ?? 6379 }),
          reason: "options",
          detail
        })
      )
  })
