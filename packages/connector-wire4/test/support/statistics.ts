import { executedApartFrom } from "@echomq/test-node/observed"

export { changes, keys } from "@echomq/test-node/observed"

/** What any connection does to be one: the boot's steps, and what the driver says about itself. */
const ofConnections = new Set(["auth", "client|setinfo", "client|setname", "select", "ping", "quit"])

/** What the server executed, apart from the making of connections: all that concerns a key. */
export const executedOnKeys = executedApartFrom(ofConnections)
