import { Schema } from "effect"

/**
 * Whatever went wrong with a test node.
 *
 * - `missing`: what runs nodes is not installed; the message says what to install
 * - `start`: the server did not come up
 * - `stopped`: the node is not running
 * - `reply`: the server answered the admin's command with an error, whose text is the message
 * - `lost`: the admin's connection went away before it had the reply
 * - `engine`: the container engine refused
 */
export class NodeError extends Schema.TaggedError<NodeError>()("NodeError", {
  reason: Schema.Literals(["missing", "start", "stopped", "reply", "lost", "engine"]),
  message: Schema.String,
  /** The last lines that the server printed, where they explain the error. */
  log: Schema.Array(Schema.String)
}) {}
