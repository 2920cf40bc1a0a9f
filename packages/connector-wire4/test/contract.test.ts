import { contract, subjectOf } from "@echomq/test-node/contract"
import { ConnectorWire4 } from "../src/index.ts"

contract("wire 4", 4, (version) => subjectOf({}, version, ConnectorWire4.make))
