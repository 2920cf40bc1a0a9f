import type { InexactInteger, ServerError } from "./CallError.ts"

/**
 * What a server answers, in one form whichever driver carried it.
 *
 * Text is a `string`. Bytes that are not valid UTF-8 stay a `Uint8Array`, as do
 * all of them where the caller asked for bytes. A map is a record without a
 * prototype, or a list of `[key, value]` pairs where a key is no text. Inside a
 * reply (a pipeline's, or an element of an array) an error is a value.
 */
export type Reply =
  | null
  | string
  | number
  | bigint
  | Uint8Array
  | ServerError
  | InexactInteger
  | ReadonlyArray<Reply>
  | { readonly [key: string]: Reply }

/** One argument of a command. Numbers are sent in decimal and must be finite. */
export type Part = string | number | Uint8Array

/** A command and its arguments, the command's name first. */
export type Command = ReadonlyArray<Part>
