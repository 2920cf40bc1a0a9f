import {
  AuthRefused,
  BootRefused,
  ConnectFailed,
  Fence,
  printableError,
  type Reply,
  ServerError
} from "@echomq/keyspace"
import { Effect, Redacted, type Scope } from "effect"
import { Dialer } from "./Dialer.ts"
import type { Link, Request } from "./Link.ts"
import type { Settings } from "./Options.ts"
import { address } from "./Target.ts"

/** One command of the boot, and the refusal that its reply amounts to. */
interface BootStep {
  readonly command: ReadonlyArray<string>
  readonly refusal: (reply: Reply) => AuthRefused | BootRefused | null
}

const refusedAs =
  (refuse: (message: string) => AuthRefused | BootRefused): BootStep["refusal"] =>
  (reply) =>
    reply instanceof ServerError
      ? reply.code === "NOAUTH"
        ? new AuthRefused({ message: printableError(reply) })
        : refuse(printableError(reply))
      : null

/** A server that takes any password takes the pin too, and then the driver could come back unfenced. */
const proof = (command: ReadonlyArray<string>): BootStep => ({
  command,
  refusal: (reply) =>
    reply instanceof ServerError
      ? null
      : new BootRefused({ step: "pin", message: "the server accepts any password" })
})

/** A server may repeat in any error what it was told before. */
const hiding =
  (secret: string) =>
  (reply: Reply): Reply =>
    reply instanceof ServerError && secret !== ""
      ? ServerError.of(reply.message.replaceAll(secret, "<redacted>"))
      : reply

/** One that does not know `AUTH` repeats its arguments, cut anywhere. */
const withoutArguments = (message: string): string => {
  const [said = ""] = message.split(", with args beginning with:", 1)
  return said
}

export const failure = (
  { target }: Settings,
  reason: ConnectFailed["reason"],
  detail: string
): ConnectFailed => new ConnectFailed({ address: address(target), reason, detail })

const steps = Effect.fnUntraced(function* (link: Link, settings: Settings) {
  const list: Array<BootStep> = []
  let hide = (reply: Reply): Reply => reply
  if (settings.credentials !== null) {
    const { username, password } = settings.credentials
    // The store of secrets is out of our hands, and its defect must not end a connector that serves.
    const secret = Redacted.value(
      yield* Effect.catchDefect(password, () =>
        Effect.fail(failure(settings, "options", "password: its effect died"))
      )
    )
    hide = hiding(secret)
    list.push({
      command: username === undefined ? ["AUTH", secret] : ["AUTH", username, secret],
      refusal: refusedAs((message) => new AuthRefused({ message: withoutArguments(message) }))
    })
  } else if (link.pinProof !== null) list.push(proof(link.pinProof))
  if (settings.database !== 0) {
    list.push({
      command: ["SELECT", String(settings.database)],
      refusal: refusedAs((message) => new BootRefused({ step: "select", message }))
    })
  }
  if (settings.clientName !== undefined) {
    list.push({
      command: ["CLIENT", "SETNAME", settings.clientName],
      refusal: refusedAs((message) => new BootRefused({ step: "setname", message }))
    })
  }
  return { boot: list, hide }
})

const request = (command: ReadonlyArray<string>): Request => ({
  name: command[0] ?? "",
  args: command,
  bytes: true
})

const open = Effect.fnUntraced(function* <State, Pass, Refusal>(
  settings: Settings,
  machine: Fence.Machine<State, Pass, Refusal>
) {
  const failed = (reason: ConnectFailed["reason"], detail: string) => failure(settings, reason, detail)

  const { dial } = yield* Dialer
  const link = yield* dial(settings.target)

  const { boot, hide } = yield* steps(link, settings)

  const roundTrip = (commands: ReadonlyArray<ReadonlyArray<string>>) =>
    Effect.raceFirst(
      Effect.callback<ReadonlyArray<Reply>, ConnectFailed>((resume) =>
        link.send(commands.map(request), false, (replies) =>
          resume(
            Array.isArray(replies)
              ? Effect.succeed(replies.map(hide))
              : Effect.fail(
                  failed("closed", replies instanceof ServerError ? printableError(replies) : "no reply")
                )
          )
        )
      ),
      Effect.flatMap(link.loss, (how) => Effect.fail(failed("closed", how)))
    )

  let step: Fence.Step<State, Pass, Refusal> = machine.start
  const first = step._tag === "Send" ? [step.command] : []
  const replies = yield* roundTrip([...boot.map(({ command }) => command), ...first])
  for (const [i, { refusal }] of boot.entries()) {
    const reply = replies[i] ?? null
    if (reply instanceof ServerError && Fence.isTransient(reply))
      return yield* failed("not-ready", printableError(reply))
    const refused = refusal(reply)
    if (refused !== null) return yield* Effect.fail(refused)
  }
  let reply = replies[boot.length] ?? null
  while (step._tag === "Send") {
    step = machine.next(step.state, reply)
    if (step._tag === "Send") reply = (yield* roundTrip([step.command]))[0] ?? null
  }
  if (step._tag === "Refuse") return yield* Effect.fail(step.error)
  if (step._tag === "NotReady") return yield* failed("not-ready", printableError(step.error))
  return { link, value: step.value }
})

/**
 * Dials, boots and fences one connection. The boot and the first command of the fence
 * are one round trip: `AUTH` sent by itself would be remembered by the driver.
 */
export const connect = <State, Pass, Refusal>(
  settings: Settings,
  machine: Fence.Machine<State, Pass, Refusal>
): Effect.Effect<
  { readonly link: Link; readonly value: Pass },
  ConnectFailed | AuthRefused | BootRefused | Refusal,
  Scope.Scope
> =>
  Effect.timeoutOrElse(open(settings, machine), {
    duration: settings.target.connectTimeout,
    orElse: () => Effect.fail(failure(settings, "timeout", ""))
  })
