import { Config, ConfigProvider, Effect, Option, Result, Schema } from "effect"
import type { Options } from "./Options.ts"
import { parseUrl } from "./Url.ts"

/** Taken apart here, so that a bad URL is a `ConfigError` that names its key, and what it names decides. */
const url = Config.Redacted("EMQ_URL").pipe(
  Config.mapEffect((value) =>
    Result.match(parseUrl(value), {
      onSuccess: Effect.succeed,
      onFailure: (problem) =>
        Effect.fail(
          new Config.ConfigError(new ConfigProvider.SourceError({ message: `EMQ_URL: ${problem}` }))
        )
    })
  )
)

const optional = <A>(config: Config.Config<A>): Config.Config<A | undefined> =>
  Config.map(Config.option(config), Option.getOrUndefined)

const connection = Config.all({
  url: optional(url),
  host: optional(Config.NonEmptyString("EMQ_HOST")),
  port: optional(Config.Port("EMQ_PORT")),
  username: optional(Config.NonEmptyString("EMQ_USERNAME")),
  password: optional(Config.Redacted("EMQ_PASSWORD")),
  database: optional(Config.schema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)), "EMQ_DATABASE")),
  clientName: optional(Config.NonEmptyString("EMQ_CLIENT_NAME")),
  tls: optional(Config.Boolean("EMQ_TLS"))
})

const defined = (fields: object): Options =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/**
 * Options completed by the environment: `EMQ_URL`, or `EMQ_HOST` and `EMQ_PORT`;
 * `EMQ_USERNAME`, `EMQ_PASSWORD`, `EMQ_DATABASE`, `EMQ_CLIENT_NAME`, and `EMQ_TLS`
 * (`true` or `false`). None is required, and each that is set decides, what the URL
 * names included. TLS that is turned on keeps the trust settings of the options.
 */
export const fromConfig = (options: Options): Config.Config<Options> =>
  Config.map(connection, ({ url, ...fields }) => {
    const configured: Options = { ...url, ...defined(fields) }
    const trust = configured.tls === true && typeof options.tls === "object" ? { tls: options.tls } : {}
    return { ...options, ...(url === undefined ? {} : { url: undefined }), ...configured, ...trust }
  })
