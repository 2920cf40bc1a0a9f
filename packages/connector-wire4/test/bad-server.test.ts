import { badServers } from "@echomq/test-node/badServers"
import { ConnectorWire4 } from "../src/index.ts"

badServers({
  wire: 4,
  node: {},
  make: ConnectorWire4.make,
  turns: ["knock", "setup", "boot"],
  streams: 1_000
})
