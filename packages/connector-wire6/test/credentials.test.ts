import { rightly } from "@echomq/test-node/badServer"
import { answering, rawServer } from "@echomq/test-node/rawServer"
import { shownForms } from "@echomq/test-node/secrets"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { ConnectorWire6 } from "../src/index.ts"

/** How a server may begin an error, each of which the fence takes for something else. */
const codes = ["ERR", "ERR unknown command", "NOAUTH", "NOPERM", "LOADING", "EMQWIRE"]

describe.concurrent("a password that the server repeats in an error", () => {
  for (const step of ["EMQ.VERSION", "GET"]) {
    it.live(`to ${step} is in no form of the failure`, () =>
      Effect.forEach(
        codes,
        Effect.fnUntraced(function* (code) {
          const { host, port } = yield* rawServer(
            answering((name) =>
              name === step
                ? `-${code} you said s3kr\u00eft before`
                : name === "AUTH"
                  ? "+OK"
                  : rightly(6, name).replace(/\r\n$/, "")
            )
          )
          const password = Redacted.make("s3kr\u00eft")
          const error = yield* Effect.flip(Effect.scoped(ConnectorWire6.make({ host, port, password })))
          expect(error.message).toContain("you said <redacted> before")
          for (const shown of shownForms(error)) expect(shown).not.toContain("s3kr")
        }, Effect.scoped),
        { concurrency: "unbounded", discard: true }
      )
    )
  }
})
