/** Compiles each code block of the documentation and each example of the doc comments, by itself. */
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { cache, conclude, files, read, root } from "./repository.ts"

interface Snippet {
  readonly path: string
  /** Of its first line, from 1. */
  readonly line: number
  readonly code: string
}

const fence = /^```(?:ts|typescript)\b.*\n([\s\S]*?)^```$/gm
const comment = /^[ \t]*\/\*\*[\s\S]*?\*\//gm
const margin = /^[ \t]*\* ?/gm

/** A source with nothing left but its doc comments, each line where it was. */
const commentsOf = (source: string): string => {
  let end = 0
  const parts: Array<string> = []
  for (const { 0: found, index } of source.matchAll(comment)) {
    parts.push("\n".repeat(source.slice(end, index).split("\n").length - 1), found.replace(margin, ""))
    end = index + found.length
  }
  return parts.join("")
}

const snippetsOf = (path: string): ReadonlyArray<Snippet> => {
  const text = path.endsWith(".md") ? read(path) : commentsOf(read(path))
  return Array.from(text.matchAll(fence), ({ 1: code = "", index }) => ({
    path,
    line: text.slice(0, index).split("\n").length + 1,
    code
  }))
}

const project = cache("snippets")
const snippets = files("*.md", "packages/*/src/*.ts").flatMap(snippetsOf)
for (const { code, line, path } of snippets) {
  const file = join(project, path, `${line}.ts`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, "\n".repeat(line - 1) + code)
}
writeFileSync(
  join(project, "tsconfig.json"),
  JSON.stringify({
    extends: join(root, "tsconfig.base.json"),
    compilerOptions: {
      types: ["node"],
      noEmit: true,
      composite: false,
      incremental: false,
      declaration: false,
      declarationMap: false,
      allowImportingTsExtensions: true,
      rewriteRelativeImportExtensions: false,
      noUnusedLocals: false
    },
    include: ["."]
  })
)
const { status, stderr, stdout } = spawnSync(
  join(root, "node_modules/.bin/tsc"),
  ["--pretty", "false", "--project", "."],
  {
    cwd: project,
    encoding: "utf8"
  }
)
const problems = `${stdout}${stderr}${status === null ? "tsc was killed" : ""}`
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => line.replace(/\/\d+\.ts\((\d+),\d+\)/, ":$1"))
const byKind = (suffix: string) => snippets.filter(({ path }) => path.endsWith(suffix)).length
conclude(problems, `${byKind(".md")} code blocks and ${byKind(".ts")} examples of doc comments compile`)
