import { contract, subjectOf } from "@echomq/test-node/contract"
import { modulePath } from "@echomq/test-node/module"
import { ConnectorWire6 } from "../src/index.ts"

contract("wire 6", 6, (version) => subjectOf({ module: modulePath() }, version, ConnectorWire6.make))
