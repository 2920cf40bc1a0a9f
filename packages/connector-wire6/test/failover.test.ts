import { VERSION_KEY } from "@echomq/keyspace"
import { failover } from "@echomq/test-node/failover"
import { modulePath } from "@echomq/test-node/module"
import { ConnectorWire6 } from "../src/index.ts"

failover({
  wire: 6,
  node: { module: modulePath() },
  make: ConnectorWire6.make,
  append: (element) => ["EMQ.ENQUEUE", 1, "emq:{q}:pending", element],
  journal: "emq:{q}:journal",
  // The journal keeps the whole call, as it would be on the wire.
  elementOf: (stored) => stored.split("\r\n").at(-2) ?? "",
  fence: ["EMQ.VERSION", `GET ${VERSION_KEY}`]
})
