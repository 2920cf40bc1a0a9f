import type { Verb, Verbs } from "../Host.ts"
import { hashes } from "./hashes.ts"
import { keys } from "./keys.ts"
import { lists } from "./lists.ts"
import { server } from "./server.ts"
import { sets } from "./sets.ts"
import { strings } from "./strings.ts"

/** Every command that the node knows without its module. */
export const commands: ReadonlyMap<string, Verb> = new Map(
  Object.entries({ ...server, ...keys, ...strings, ...lists, ...hashes, ...sets } satisfies Verbs)
)
