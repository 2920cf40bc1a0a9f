import { VERSION_KEY, WIRE_6 } from "@echomq/keyspace"
import { badServers } from "@echomq/test-node/badServers"
import { modulePath } from "@echomq/test-node/module"
import { ConnectorWire6 } from "../src/index.ts"

// The knock and the set-up are those of wire 4.
badServers({
  wire: 6,
  node: { module: modulePath(), seed: [["SET", VERSION_KEY, WIRE_6]] },
  make: ConnectorWire6.make,
  turns: ["boot", "read"],
  streams: 1_000
})
