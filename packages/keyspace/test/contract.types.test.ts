import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Effect, type Scope, type Stream } from "effect"
import {
  type AuthRefused,
  type BootRefused,
  BUS,
  type BusCapability,
  type CallError,
  type Capability,
  type CapabilityAbsent,
  type ClientRule,
  type Closed,
  type Command,
  type CommandError,
  type CommandRefused,
  type CommandTimeout,
  type ConnectFailed,
  Connector,
  type Disconnected,
  type EmqAbsent,
  type EmqVersion,
  type FatalError,
  Fence,
  IDENTITY,
  type InexactInteger,
  JOB_CORE,
  type JobCapability,
  type Lane,
  type ModuleVersion,
  type Overloaded,
  type Part,
  type PipelineError,
  type Reply,
  type ReplyOptions,
  type Script,
  type ScriptCall,
  type ServerError,
  type Status,
  type TransactionError,
  type VersionFence,
  type Wire
} from "../src/index.ts"

type Fatal = VersionFence | AuthRefused | BootRefused | EmqAbsent | EmqVersion | ClientRule

type Pipeline = Disconnected | CommandRefused | Overloaded | CommandTimeout | Closed | Fatal

type Service = Connector["Service"]

const failing = Effect.fail(null as unknown as CommandError)

describe("types of the contract", () => {
  it("the errors of calls are exactly these", () => {
    expectTypeOf<FatalError>().toEqualTypeOf<Fatal>()
    expectTypeOf<PipelineError>().toEqualTypeOf<Pipeline>()
    expectTypeOf<TransactionError>().toEqualTypeOf<Pipeline | ServerError>()
    expectTypeOf<CommandError>().toEqualTypeOf<Pipeline | ServerError | InexactInteger>()
    expectTypeOf<CommandError | CapabilityAbsent>().toEqualTypeOf<CallError | FatalError>()
  })

  it("the members of Connector are exactly these", () => {
    expectTypeOf<Service>().toEqualTypeOf<{
      readonly wire: Wire
      readonly command: (command: Command, options?: ReplyOptions) => Effect.Effect<Reply, CommandError>
      readonly pipeline: (
        commands: ReadonlyArray<Command | ScriptCall>,
        options?: ReplyOptions
      ) => Effect.Effect<ReadonlyArray<Reply>, PipelineError>
      readonly transaction: (
        commands: ReadonlyArray<Command | ScriptCall>,
        options?: ReplyOptions
      ) => Effect.Effect<ReadonlyArray<Reply>, TransactionError>
      readonly eval: (
        script: Script,
        keys: ReadonlyArray<Part>,
        args: ReadonlyArray<Part>,
        options?: ReplyOptions
      ) => Effect.Effect<Reply, CommandError>
      readonly run: Service["run"]
      readonly lane: Effect.Effect<Lane, ConnectFailed | FatalError | Closed, Scope.Scope>
      readonly subscribe: Service["subscribe"]
      readonly psubscribe: Service["subscribe"]
      readonly status: Effect.Effect<Status>
      readonly changes: Stream.Stream<Status>
      readonly stopped: Effect.Effect<never, FatalError | Closed>
      readonly stats: Service["stats"]
    }>()
    expectTypeOf(Connector.use((connector) => connector.command(["PING"]))).toEqualTypeOf<
      Effect.Effect<Reply, CommandError, Connector>
    >()
  })

  it("catchTag narrows each", () => {
    type Caught<E extends CommandError> = Effect.Effect<E, Exclude<CommandError, E>>
    const give = Effect.succeed

    expectTypeOf(Effect.catchTag(failing, "VersionFence", (e) => give(e))).toEqualTypeOf<
      Caught<VersionFence>
    >()
    expectTypeOf(Effect.catchTag(failing, "AuthRefused", (e) => give(e))).toEqualTypeOf<Caught<AuthRefused>>()
    expectTypeOf(Effect.catchTag(failing, "BootRefused", (e) => give(e))).toEqualTypeOf<Caught<BootRefused>>()
    expectTypeOf(Effect.catchTag(failing, "EmqAbsent", (e) => give(e))).toEqualTypeOf<Caught<EmqAbsent>>()
    expectTypeOf(Effect.catchTag(failing, "EmqVersion", (e) => give(e))).toEqualTypeOf<Caught<EmqVersion>>()
    expectTypeOf(Effect.catchTag(failing, "ClientRule", (e) => give(e))).toEqualTypeOf<Caught<ClientRule>>()
    expectTypeOf(Effect.catchTag(failing, "Disconnected", (e) => give(e))).toEqualTypeOf<
      Caught<Disconnected>
    >()
    expectTypeOf(Effect.catchTag(failing, "CommandRefused", (e) => give(e))).toEqualTypeOf<
      Caught<CommandRefused>
    >()
    expectTypeOf(Effect.catchTag(failing, "Overloaded", (e) => give(e))).toEqualTypeOf<Caught<Overloaded>>()
    expectTypeOf(Effect.catchTag(failing, "CommandTimeout", (e) => give(e))).toEqualTypeOf<
      Caught<CommandTimeout>
    >()
    expectTypeOf(Effect.catchTag(failing, "ServerError", (e) => give(e))).toEqualTypeOf<Caught<ServerError>>()
    expectTypeOf(Effect.catchTag(failing, "InexactInteger", (e) => give(e))).toEqualTypeOf<
      Caught<InexactInteger>
    >()
    expectTypeOf(Effect.catchTag(failing, "Closed", (e) => give(e))).toEqualTypeOf<Caught<Closed>>()

    expectTypeOf<CommandError["_tag"]>().toEqualTypeOf<
      | FatalError["_tag"]
      | "Disconnected"
      | "CommandRefused"
      | "Overloaded"
      | "CommandTimeout"
      | "ServerError"
      | "InexactInteger"
      | "Closed"
    >()
  })

  it("the protocol's names of the fatal errors, and the outcomes, are literals", () => {
    expectTypeOf<FatalError["fatal"]>().toEqualTypeOf<
      "version_fence" | "auth_refused" | "boot_refused" | "emq_absent" | "emq_version" | "r14"
    >()
    expectTypeOf<VersionFence["fatal"]>().toEqualTypeOf<"version_fence">()
    expectTypeOf<Disconnected["outcome"]>().toEqualTypeOf<"not-sent" | "unknown">()
    expectTypeOf<CommandTimeout["outcome"]>().toEqualTypeOf<"unknown">()
    expectTypeOf<VersionFence["got"]>().toEqualTypeOf<string | null>()
  })

  it("capabilities are literals, job core and bus apart", () => {
    type Job =
      | "enqueue"
      | "claim"
      | "claim.pause"
      | "extend"
      | "extends"
      | "complete.flat"
      | "schedule"
      | "promote"
      | "reschedule"
      | "delay"
      | "fail.flat"
      | "reprocess"
      | "requeue"
      | "stalled.check"
    type Bus = "append" | "failures.incr" | "publish"
    expectTypeOf<JobCapability>().toEqualTypeOf<Job>()
    expectTypeOf<BusCapability>().toEqualTypeOf<Bus>()
    expectTypeOf<Capability>().toEqualTypeOf<Job | Bus>()
    // Their order is the module's table's.
    expect([...JOB_CORE, ...BUS].join(" ")).toBe(
      "enqueue claim claim.pause extend extends complete.flat schedule promote reschedule delay fail.flat reprocess requeue stalled.check append failures.incr publish"
    )
  })

  it("each lane of the fence says how it passes and refuses", () => {
    expectTypeOf(Fence.wire4).toEqualTypeOf<
      Fence.ConnectorMachine<Fence.Wire4State, void, VersionFence | AuthRefused>
    >()
    expectTypeOf(Fence.wire6).toEqualTypeOf<
      Fence.ConnectorMachine<
        Fence.Wire6State,
        ModuleVersion.ModuleReport,
        VersionFence | AuthRefused | EmqAbsent | EmqVersion | ClientRule
      >
    >()
    expectTypeOf(Fence.nativeVerb).toEqualTypeOf<Fence.Machine<Fence.VerbState, void, ServerError>>()
    expectTypeOf(Fence.install).toEqualTypeOf<Fence.Machine<Fence.InstallState, 0 | 1, ServerError>>()
    expectTypeOf<Fence.Wire4Refusal | Fence.Wire6Refusal>().toExtend<FatalError>()
  })

  it("wires and their identities are literals", () => {
    expectTypeOf<Wire>().toEqualTypeOf<4 | 6>()
    expectTypeOf(IDENTITY).toEqualTypeOf<{ readonly 4: "echomq:4.0.0"; readonly 6: "echomq:6.0.0" }>()
  })
})
