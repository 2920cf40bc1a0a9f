import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { setTimeout } from "node:timers/promises"
import { Config, Effect, Option } from "effect"
import {
  type ContainerRuntimeClient,
  GenericContainer,
  getContainerRuntimeClient,
  ImageName
} from "testcontainers"
import { isAlive } from "./isAlive.ts"
import { NodeError } from "./NodeError.ts"
import { printed } from "./printed.ts"
import type { Runner, Running } from "./Runner.ts"

/**
 * Runs servers in containers, on the network of the host and in the node's own directory, mounted where it is: so
 * addresses, arguments and data are those of a process. Signals go to the server itself; a container is never asked
 * to stop. The image is `EMQ_TEST_IMAGE`; without it, the one that the set-up has made of this machine's server
 * where it could not have Valkey's, else Valkey's.
 */
export const runner: Effect.Effect<Runner, Config.ConfigError> = Effect.gen(function* () {
  const image = yield* Config.option(Config.NonEmptyString("EMQ_TEST_IMAGE"))
  // Testcontainers looks for the host by way of Docker's bridge. On the host's network neither is needed.
  process.env.TESTCONTAINERS_HOST_OVERRIDE ??= "127.0.0.1"
  return {
    start: (args, directory) =>
      Effect.acquireRelease(
        connect.pipe(
          Effect.tap(removeOrphans),
          Effect.flatMap((client) => startContainer(client, Option.getOrUndefined(image), args, directory))
        ),
        (server) => remove(server)
      ).pipe(Effect.map(running))
  }
})

const officialImage = "valkey/valkey:8"
const localImage = "echomq/test-valkey:local"
const label = "echomq.test-node"

type Container = ReturnType<ContainerRuntimeClient["container"]["getById"]>

interface Server {
  readonly container: Container
  readonly log: Array<string>
  readonly gone: Promise<unknown>
}

const connect = Effect.tryPromise({
  try: () => getContainerRuntimeClient(),
  catch: () =>
    new NodeError({
      reason: "missing",
      message:
        "No container engine answers. `EMQ_TEST_NODE=container npm run setup` starts one on Debian; otherwise install and start Docker.",
      log: []
    })
})

const refusal = (cause: unknown) => new NodeError({ reason: "engine", message: String(cause), log: [] })

const startContainer = (
  client: ContainerRuntimeClient,
  configured: string | undefined,
  args: ReadonlyArray<string>,
  directory: string
) =>
  Effect.tryPromise({
    try: async (): Promise<Server> => {
      const hasLocal =
        configured === undefined && (await client.image.exists(ImageName.fromString(localImage)))
      const container = client.container.getById(`echomq-node-${randomUUID()}`)
      let log: Array<string> = []
      let told: Promise<unknown> = Promise.resolve()
      try {
        await new GenericContainer(configured ?? (hasLocal ? localImage : officialImage))
          .withName(container.id)
          .withEntrypoint(["valkey-server"])
          .withCommand([...args])
          .withNetworkMode("host")
          .withBindMounts([{ source: directory, target: directory, mode: "rw" }])
          .withWorkingDir(directory)
          .withUser(`${process.getuid?.()}:${process.getgid?.()}`)
          .withLabels({ [label]: String(process.pid) })
          .withAutoCleanup(false)
          .withWaitStrategy(noWait)
          .withLogConsumer((stream) => {
            log = printed(stream)
            told = once(stream, "end").catch(() => undefined)
          })
          .start()
      } catch (cause) {
        await discard(container)
        throw cause
      }
      // The engine hands the last lines over after the end.
      const gone = container.wait().then(() => Promise.race([told, setTimeout(1_000)]))
      return { container, log, gone }
    },
    catch: refusal
  })

/** What it takes for a node to be up is the fixture's business, the same for processes and containers. */
const noWait = {
  waitUntilReady: () => Promise.resolve(),
  withStartupTimeout: () => noWait,
  isStartupTimeoutSet: () => true,
  getStartupTimeout: () => 0
}

const kill = async ({ container, gone }: Server) => {
  await container.kill({ signal: "SIGKILL" }).catch(() => undefined)
  await gone
}

const discard = (container: Container) => container.remove({ force: true, v: true }).catch(() => undefined)

const remove = (server: Server) =>
  Effect.promise(async () => {
    await kill(server)
    await discard(server.container)
  })

const running = (server: Server): Running => ({
  exited: Effect.promise(() => server.gone).pipe(Effect.asVoid),
  signal: (signal) =>
    Effect.tryPromise({
      try: async () => {
        await (signal === "SIGKILL" ? kill(server) : server.container.kill({ signal }))
      },
      catch: refusal
    }),
  log: Effect.sync(() => [...server.log])
})

/** Removes, once, the containers of processes that are no more. */
let orphans: Promise<void> | undefined

const removeOrphans = (client: ContainerRuntimeClient) =>
  Effect.promise(() => {
    orphans ??= client.container.dockerode
      .listContainers({ all: true, filters: { label: [label] } })
      .then(async (containers) => {
        for (const { Id, Labels } of containers) {
          if (!isAlive(Number(Labels[label]))) await discard(client.container.getById(Id))
        }
      })
    return orphans
  })
