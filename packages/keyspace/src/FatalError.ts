import { Schema } from "effect"
import { ServerError } from "./CallError.ts"
import { printableError } from "./Printable.ts"

/**
 * The node's version key does not hold this connector's wire. Nothing was written
 * to it, apart from a claim that did not stand.
 */
export class VersionFence extends Schema.TaggedError<VersionFence>()("VersionFence", {
  fatal: Schema.tag("version_fence"),
  expected: Schema.String,
  /** `null` for an absent key, otherwise the stored value or what the server said instead of one, in printable form and cut short. */
  got: Schema.NullOr(Schema.String),
  /** The stored value whole, where there is one. */
  bytes: Schema.optionalKey(Schema.Uint8Array),
  /** The server's error, word for word, where the read or else the claim got one. */
  error: Schema.optionalKey(ServerError)
}) {
  override get message(): string {
    const found =
      this.got === null
        ? "{emq}:version is absent"
        : this.bytes === undefined
          ? `found ${this.got}`
          : `found "${this.got}"`
    const claim =
      this.got === null && this.error !== undefined ? `; the claim got: ${printableError(this.error)}` : ""
    return `expected ${this.expected} but ${found}${claim}`
  }
}

/** The server refused the credentials, or asks for some and none are configured. */
export class AuthRefused extends Schema.TaggedError<AuthRefused>()("AuthRefused", {
  fatal: Schema.tag("auth_refused"),
  message: Schema.String
}) {}

/**
 * The server refused a step of the boot sequence. The step `pin` means that it
 * accepts any password, so that the driver could not be held to one connection.
 */
export class BootRefused extends Schema.TaggedError<BootRefused>()("BootRefused", {
  fatal: Schema.tag("boot_refused"),
  step: Schema.Literals(["pin", "select", "setname"]),
  message: Schema.String
}) {}

/** The node has no `EMQ.VERSION`: the module is not loaded there. */
export class EmqAbsent extends Schema.TaggedError<EmqAbsent>()("EmqAbsent", {
  fatal: Schema.tag("emq_absent"),
  message: Schema.String
}) {}

/** `EMQ.VERSION` answered with an error, or with something that is not its reply. */
export class EmqVersion extends Schema.TaggedError<EmqVersion>()("EmqVersion", {
  fatal: Schema.tag("emq_version"),
  message: Schema.String
}) {}

/** The module is not one that this client can use: `wire`, `major` and `missing` say what differs. */
export class ClientRule extends Schema.TaggedError<ClientRule>()("ClientRule", {
  fatal: Schema.tag("r14"),
  wire: Schema.optionalKey(Schema.Struct({ expected: Schema.String, got: Schema.String })),
  major: Schema.optionalKey(Schema.Struct({ expected: Schema.Number, got: Schema.Number })),
  missing: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return [
      ...(this.wire === undefined ? [] : [`expected wire ${this.wire.expected}, found ${this.wire.got}`]),
      ...(this.major === undefined ? [] : [`expected major ${this.major.expected}, found ${this.major.got}`]),
      ...(this.missing.length === 0 ? [] : [`missing ${this.missing.join(" ")}`])
    ].join("; ")
  }
}

/** The refusals that no retry can change. A connector that meets one stops for good. */
export const FatalError = Schema.Union([
  VersionFence,
  AuthRefused,
  BootRefused,
  EmqAbsent,
  EmqVersion,
  ClientRule
])
export type FatalError = typeof FatalError.Type
