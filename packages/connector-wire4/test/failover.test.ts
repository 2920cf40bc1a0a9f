import { VERSION_KEY } from "@echomq/keyspace"
import { failover } from "@echomq/test-node/failover"
import { ConnectorWire4 } from "../src/index.ts"

failover({
  wire: 4,
  node: {},
  make: ConnectorWire4.make,
  append: (element) => ["RPUSH", "journal", element],
  journal: "journal",
  elementOf: (stored) => stored,
  fence: [`GET ${VERSION_KEY}`]
})
