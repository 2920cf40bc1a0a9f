import { executedApartFrom } from "@echomq/test-node/observed"

export { changes, keys } from "@echomq/test-node/observed"

/** What any connection does to be one: the boot's steps, and what the driver says about itself. */
const ofConnections = new Set(["auth", "client|setinfo", "client|setname", "hello", "select", "ping", "quit"])

/** What the server executed, apart from the making of connections and the fixture's own. */
export const executed = executedApartFrom(ofConnections)
