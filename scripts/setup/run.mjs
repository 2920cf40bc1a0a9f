import { spawn } from "node:child_process"
import { Failure } from "./failure.mjs"

/**
 * Runs a program under a title and shows that it is getting on: on a terminal its latest line of output and the
 * time, otherwise a line now and then. Where it fails, its whole output is shown, unless `quiet`, and the advice.
 */
export const run = async (title, command, { advice, quiet = false, ...options } = {}) => {
  const [program, ...args] = command
  const started = Date.now()
  const output = []
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`
  const terminal = process.stderr.isTTY
  const say = (text, end) => process.stderr.write(terminal ? `\r\x1b[K${text}${end}` : `${text}\n`)
  const latest = () =>
    (
      output
        .join("")
        .trimEnd()
        .split(/[\r\n]+/)
        .at(-1) ?? ""
    ).trim()
  const width = () => (process.stderr.columns ?? 80) - 1

  say(`setup: ${title}`, terminal ? "" : "\n")
  const progress = setInterval(
    () => say(`setup: ${title}, ${seconds()}: ${latest()}`.slice(0, terminal ? width() : 160), ""),
    terminal ? 500 : 10_000
  )
  try {
    const code = await new Promise((resolve, reject) => {
      const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options })
      child.stdout.on("data", (chunk) => output.push(chunk.toString()))
      child.stderr.on("data", (chunk) => output.push(chunk.toString()))
      child.once("error", (cause) => reject(new Failure(`${program}: ${cause.message}`)))
      child.once("close", (code, signal) => resolve(code ?? signal))
    })
    if (code !== 0) {
      say("", "")
      if (!quiet) process.stderr.write(`${output.join("").trimEnd()}\n`)
      throw new Failure(
        [`${title} failed: \`${command.join(" ")}\` ended with ${code}.`, advice].filter(Boolean).join("\n")
      )
    }
    say(`setup: ${title}: done in ${seconds()}`, "\n")
    return output.join("")
  } finally {
    clearInterval(progress)
  }
}
