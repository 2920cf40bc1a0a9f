import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { machine } from "./Machine.ts"
import { full, quick } from "./Plan.ts"
import { chart } from "./report/chart.ts"
import { markdown } from "./report/markdown.ts"
import { terminal } from "./report/terminal.ts"
import type { Findings } from "./Section.ts"
import { sectionNames, sections } from "./sections/index.ts"

const docs = fileURLToPath(new URL("../../docs", import.meta.url))

const flags = {
  quick: Flag.Boolean("quick").pipe(
    Flag.withDescription("Some minutes instead of a quarter of an hour: for a first look."),
    Flag.withDefault(false)
  ),
  only: Flag.Literals("only", sectionNames).pipe(Flag.withDescription("One section alone."), Flag.optional),
  out: Flag.String("out").pipe(
    Flag.withDescription("Where the page goes. Default: docs, where the run is full; nowhere else."),
    Flag.optional
  )
}

/** The other sections are worth having even so, and the page says what is missing. */
const failed = (name: string, cause: Cause.Cause<unknown>): Effect.Effect<Findings> =>
  Effect.sync(() => {
    console.error(Cause.pretty(cause))
    process.exitCode = 1
    return { title: `${name}: failed`, tables: [], targets: [], panels: [] }
  })

const bench = Command.make("bench", flags, ({ only, out, quick: isQuick }) =>
  Effect.gen(function* () {
    const plan = isQuick ? quick : full
    const about = yield* machine
    console.log(about.join("\n"))
    const findings: Array<Findings> = []
    for (const name of Option.match(only, { onNone: () => sectionNames, onSome: (name) => [name] })) {
      const found = yield* Effect.scoped(sections[name](plan)).pipe(
        Effect.catchCause((cause) => failed(name, cause))
      )
      console.log(terminal(found))
      findings.push(found)
    }
    const where = Option.getOrElse(out, () => (isQuick || Option.isSome(only) ? null : docs))
    if (where === null) return
    mkdirSync(where, { recursive: true })
    writeFileSync(join(where, "performance.svg"), chart(findings.flatMap(({ panels }) => panels)))
    writeFileSync(join(where, "performance-results.md"), markdown(plan, about, findings, "performance.svg"))
    console.log(`\nWritten to ${where}.`)
  })
).pipe(Command.withDescription("The connector beside the clients that people would pick instead."))

NodeRuntime.runMain(Command.run(bench, { version: "0.0.0" }).pipe(Effect.provide(NodeServices.layer)))
