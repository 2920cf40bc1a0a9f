import { Redacted } from "effect"
import type { Options } from "../../src/index.ts"

/** One way in which a node asks who is there, and the connector's answer. */
export interface Authentication {
  readonly name: string
  /** Arguments of the node. */
  readonly args: ReadonlyArray<string>
  readonly options: Options
  /** What a caller might send to log in again, as the node would accept it. */
  readonly logins: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]>
}

const open = ["~*", "&*", "+@all"]

/** The five set-ups of GLIDE.md: in each, the driver reconnects in another way. */
export const authentications: ReadonlyArray<Authentication> = [
  {
    name: "default user, no password",
    args: [],
    options: {},
    logins: [["HELLO", "3", "AUTH", "default", "anything"]]
  },
  {
    name: "requirepass",
    args: ["--requirepass", "secret"],
    options: { password: Redacted.make("secret") },
    logins: [
      ["AUTH", "secret"],
      ["HELLO", "3", "AUTH", "default", "secret"]
    ]
  },
  {
    name: "named user with password",
    args: ["--user", "emq", "on", ">secret", ...open],
    options: { username: "emq", password: Redacted.make("secret") },
    logins: [
      ["AUTH", "emq", "secret"],
      ["HELLO", "3", "AUTH", "emq", "secret"]
    ]
  },
  {
    name: "named user, nopass",
    args: ["--user", "emq", "on", "nopass", ...open],
    options: { username: "emq", password: Redacted.make("anything") },
    logins: [
      ["AUTH", "emq", "anything"],
      ["HELLO", "3", "AUTH", "emq", "anything"]
    ]
  },
  {
    name: "named user, default user off",
    args: ["--user", "emq", "on", ">secret", ...open, "--user", "default", "off"],
    options: { username: "emq", password: Redacted.make("secret") },
    logins: [
      ["AUTH", "emq", "secret"],
      ["HELLO", "3", "AUTH", "emq", "secret"]
    ]
  }
]
