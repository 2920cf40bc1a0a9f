/**
 * The traps of GLIDE that its process does not survive, or not unharmed: each runs in one of its own, on the port that
 * follows its name, and prints a line of JSON.
 */
import { createServer } from "node:net"
import {
  GlideClient,
  GlideClientConfiguration,
  Logger,
  NodeDiscoveryMode,
  ProtocolVersion
} from "@valkey/valkey-glide"

const [trap = "", port = "0"] = process.argv.slice(2)

const configuration = {
  addresses: [{ host: "127.0.0.1", port: Number(port) }],
  protocol: ProtocolVersion.RESP2,
  connectionBackoff: { numberOfRetries: 1, factor: 100, exponentBase: 2 }
}

const { PubSubChannelModes } = GlideClientConfiguration

const nodeDiscoveryMode = NodeDiscoveryMode.Static

const pause = (millis: number) => new Promise<"nothing">((resolve) => setTimeout(resolve, millis, "nothing"))

/** How a promise ends, if it does in time. */
const ending = (promise: Promise<unknown>, millis: number): Promise<string> =>
  Promise.race([
    promise.then(
      () => "success",
      (error: unknown) => (error as Error).constructor.name
    ),
    pause(millis)
  ])

const tell = (result: unknown) => console.log(JSON.stringify(result))

/** A port that nothing listens on. */
const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const first = async (settings: Partial<Parameters<typeof GlideClient.createClient>[0]>) => {
  const creating = GlideClient.createClient({ ...configuration, requestTimeout: 200, ...settings })
  const created = await ending(creating, 5_000)
  if (created !== "success") return tell([created])
  const client = await creating
  const pin = ending(client.updateConnectionPassword("pin", false), 4_000)
  const asked = ending(client.customCommand(["PING"]), 4_000)
  tell([created, await pin, await asked])
}

/** How many milliseconds of a second the process is at work while it has nothing to do. */
const tellBusy = async () => {
  const before = process.cpuUsage()
  await pause(1_000)
  const { system, user } = process.cpuUsage(before)
  tell((system + user) / 1_000)
}

const wrong = { ...configuration, credentials: { password: "wrong" } }

const traps: Record<string, () => Promise<void>> = {
  notUtf8: async () => {
    let heard = () => {}
    const hearing = new Promise<void>((resolve) => {
      heard = resolve
    })
    await GlideClient.createClient({
      ...configuration,
      protocol: ProtocolVersion.RESP3,
      pubsubSubscriptions: {
        channelsAndPatterns: { [PubSubChannelModes.Exact]: new Set(["channel"]) },
        callback: () => heard()
      }
    })
    const client = await GlideClient.createClient(configuration)
    await client.customCommand(["PUBLISH", "channel", "text"])
    await ending(hearing, 2_000)
    tell("text")
    await client.customCommand(["PUBLISH", "channel", Buffer.from([0xff])])
    await pause(2_000)
    tell("survived")
  },
  deadAddress: async () =>
    first({ addresses: [{ host: "127.0.0.1", port: await freePort() }], nodeDiscoveryMode }),
  failedTls: () => first({ useTLS: true, nodeDiscoveryMode }),
  leak: async () => {
    for (let i = 0; i < 3; i++) await ending(GlideClient.createClient(wrong), 5_000)
    tell("failed")
    await pause(5_000)
  },
  // For as long as this process lives, which is seconds.
  spins: async () => {
    const settings = {
      ...configuration,
      connectionBackoff: { ...configuration.connectionBackoff, numberOfRetries: 0 }
    }
    await ending(GlideClient.createClient({ ...settings, credentials: { password: "wrong" } }), 5_000)
    await tellBusy()
  },
  prints: async () => {
    await ending(GlideClient.createClient(wrong), 5_000)
  },
  isQuiet: async () => {
    Logger.init("off")
    await ending(GlideClient.createClient(wrong), 5_000)
  }
}

await traps[trap]?.()
process.exit(0)
