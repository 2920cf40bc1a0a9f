/**
 * The append-only file that has a server hold the effect of these commands when it starts, with the manifest that
 * names it: contents by file name, for the server's `appendonlydir`. With `loading` and `loadingArguments`, loading
 * it takes about so many milliseconds.
 */
export const appendOnlyFile = (
  commands: ReadonlyArray<ReadonlyArray<string | Uint8Array>>,
  loading = 0
): ReadonlyArray<readonly [name: string, content: string | Uint8Array]> => [
  ["appendonly.aof.1.incr.aof", Buffer.concat([...commands, ...idle(loading)].map(encode))],
  ["appendonly.aof.manifest", "file appendonly.aof.1.incr.aof seq 1 type i\n"]
]

/**
 * A server that loads an append-only file attends to its connections every 1,024 commands. The shortest delay per
 * command is some 80 microseconds, so that many small commands make it slow and yet responsive.
 */
export const loadingArguments: ReadonlyArray<string> = ["--key-load-delay", "20"]

const idle = (milliseconds: number) => Array.from({ length: milliseconds * 12 }, () => ["PING"])

const encode = (parts: ReadonlyArray<string | Uint8Array>) =>
  Buffer.concat([
    Buffer.from(`*${parts.length}\r\n`),
    ...parts.flatMap((part) => {
      const bytes = Buffer.from(part as Uint8Array)
      return [Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n")]
    })
  ])
