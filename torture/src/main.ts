import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Logger } from "effect"
import { Command } from "effect/cli"
import { connectsCommand, swapsCommand } from "./endurance/command.ts"
import { figuresCommand } from "./figures/command.ts"
import { chaosCommand } from "./run/command.ts"

const torture = chaosCommand.pipe(Command.withSubcommands([figuresCommand, swapsCommand, connectsCommand]))

// Connectors log each loss, and there are thousands.
const silent = Logger.layer([])

NodeRuntime.runMain(
  Command.run(torture, { version: "0.0.0" }).pipe(Effect.provide([NodeServices.layer, silent]))
)
