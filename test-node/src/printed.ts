import type { Readable } from "node:stream"

const kept = 100

/** The last lines of what streams print, as they come. */
export const printed = (...streams: ReadonlyArray<Readable>): Array<string> => {
  const lines: Array<string> = []
  for (const stream of streams) {
    stream.on("data", (chunk: Buffer | string) => {
      lines.push(...chunk.toString().trimEnd().split("\n"))
      lines.splice(0, lines.length - kept)
    })
  }
  return lines
}
