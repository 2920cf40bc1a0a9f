import { Config, ConfigProvider, Effect, Option, Result } from "effect"
import type { Options } from "./Options.ts"
import { parseUrl } from "./Url.ts"

/** Checked here as well as with the options, so that a bad URL is a `ConfigError` that names its key. */
const url = Config.Redacted("EMQ_URL").pipe(
  Config.mapEffect((value) =>
    Result.match(parseUrl(value), {
      onSuccess: () => Effect.succeed(value),
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
  database: optional(Config.Int("EMQ_DATABASE")),
  clientName: optional(Config.NonEmptyString("EMQ_CLIENT_NAME")),
  tls: optional(Config.Boolean("EMQ_TLS"))
})

/**
 * Options completed by the environment: `EMQ_URL`, or `EMQ_HOST` and `EMQ_PORT`;
 * `EMQ_USERNAME`, `EMQ_PASSWORD`, `EMQ_DATABASE`, `EMQ_CLIENT_NAME`, and `EMQ_TLS`
 * (`true` or `false`). None is required, and each that is set decides.
 */
export const fromConfig = (options: Options): Config.Config<Options> =>
  Config.map(connection, (configured) => ({
    ...options,
    ...Object.fromEntries(Object.entries(configured).filter(([, value]) => value !== undefined))
  }))
