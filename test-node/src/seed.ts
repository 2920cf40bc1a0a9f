/**
 * The append-only file that has a server hold the effect of these commands when it starts, with the manifest that
 * names it: contents by file name, for the server's `appendonlydir`.
 */
export const appendOnlyFile = (
  commands: ReadonlyArray<ReadonlyArray<string | Uint8Array>>
): ReadonlyArray<readonly [name: string, content: string | Uint8Array]> => [
  ["appendonly.aof.1.incr.aof", Buffer.concat(commands.map(encode))],
  ["appendonly.aof.manifest", "file appendonly.aof.1.incr.aof seq 1 type i\n"]
]

const encode = (parts: ReadonlyArray<string | Uint8Array>) =>
  Buffer.concat([
    Buffer.from(`*${parts.length}\r\n`),
    ...parts.flatMap((part) => {
      const bytes = Buffer.from(part as Uint8Array)
      return [Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n")]
    })
  ])
