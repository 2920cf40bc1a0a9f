/**
 * Checks the packages as they ship: what is in them, and that an empty project outside of the workspace installs them,
 * type-checks the first example and runs it against a node, on each Node.js that is supported.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { TestNode } from "@echomq/test-node"
import { Effect } from "effect"
import { conclude, packages, root, temporary } from "./repository.ts"

const PNPM = "pnpm@12.21.0"
const VERSIONS = ["22", "24"]
const SOURCE_MAP = /\n\/\/# sourceMappingURL=(\S+)\s*$/

interface Manifest {
  readonly sideEffects?: unknown
  readonly type?: unknown
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
}

/** What a program prints; where it fails, that is shown. */
const run = (directory: string, command: string, ...args: ReadonlyArray<string>): string => {
  const { error, status, stdout } = spawnSync(command, args, {
    cwd: directory,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"]
  })
  if (status === 0) return stdout
  throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? `status ${status}`}\n${stdout}`)
}

const json = <A>(path: string): A => JSON.parse(readFileSync(path, "utf8"))

/** Packs a package; gives its tarball and the directory of what is in there. */
const pack = (name: string, destination: string) => {
  const unpacked = join(destination, name)
  mkdirSync(unpacked)
  run(join(root, "packages", name), "npx", "--yes", PNPM, "pack", "--silent", "--pack-destination", unpacked)
  const [tarball = ""] = globSync("*.tgz", { cwd: unpacked })
  run(unpacked, "tar", "-xzf", tarball)
  return { tarball: join(unpacked, tarball), content: join(unpacked, "package") }
}

/** What is wrong with the source map of a file, if anything. */
const mapProblem = (content: string, file: string): string | undefined => {
  const [, map] = SOURCE_MAP.exec(readFileSync(join(content, file), "utf8")) ?? []
  if (map === undefined) return "names no source map"
  const path = join(content, dirname(file), map)
  if (!existsSync(path)) return `names ${map}, which is not there`
  const missing = json<{ readonly sources: ReadonlyArray<string> }>(path).sources.filter(
    (source) => !existsSync(join(dirname(path), source))
  )
  return missing.length === 0
    ? undefined
    : `was made from ${missing}, which is not there (remove dist and build)`
}

const contentProblems = (content: string): ReadonlyArray<string> => {
  const manifest = json<Manifest>(join(content, "package.json"))
  const targets = Object.values(manifest.exports).flatMap((target) =>
    typeof target === "string" ? [target] : Object.values(target)
  )
  const expected = [...targets, "README.md", "LICENSE"].filter((path) => !existsSync(join(content, path)))
  const mapped = globSync(["dist/**/*.js", "dist/**/*.d.ts"], { cwd: content })
  return [
    ...(manifest.sideEffects === false ? [] : ["sideEffects is not false"]),
    ...(manifest.type === "module" ? [] : ["type is not module"]),
    ...Object.entries(manifest.dependencies ?? {})
      .filter(([, range]) => range.startsWith("workspace:"))
      .map(([name]) => `depends on ${name} of the workspace`),
    ...expected.map((path) => `${path} is not there`),
    ...(mapped.length === 0 ? ["has no code"] : []),
    ...mapped.flatMap((file) => {
      const problem = mapProblem(content, file)
      return problem === undefined ? [] : [`${file} ${problem}`]
    })
  ]
}

/** Makes the project and compiles the example in it. */
const consumer = (tarballs: ReadonlyArray<string>): string => {
  const project = temporary("consumer")
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        target: "es2022",
        module: "nodenext",
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        types: ["node"],
        outDir: "dist"
      },
      files: ["first.ts"]
    })
  )
  copyFileSync(join(root, "examples/src/first.ts"), join(project, "first.ts"))
  const { devDependencies } = json<{ readonly devDependencies: Readonly<Record<string, string>> }>(
    join(root, "package.json")
  )
  const others = ["effect", "typescript", "@types/node"].map((name) => `${name}@${devDependencies[name]}`)
  const nodes = VERSIONS.map((version) => `node-${version}@npm:node@${version}`)
  run(
    project,
    "npm",
    "install",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    ...tarballs,
    ...others,
    ...nodes
  )
  run(project, join(project, "node_modules/.bin/tsc"))
  return project
}

/** Runs the example on a node of its own: what is wrong, if anything. */
const runs = Effect.fnUntraced(function* (project: string, version: string) {
  const node = yield* TestNode.make()
  const binary = join(project, "node_modules", `node-${version}`, "bin/node")
  const actual = run(project, binary, "--version").trim()
  const printed = execFileSync(binary, ["dist/first.js"], {
    cwd: project,
    encoding: "utf8",
    timeout: 30_000,
    env: { PATH: process.env.PATH ?? "", EMQ_HOST: node.host, EMQ_PORT: String(node.port) }
  })
  const stored = yield* node.admin("MGET", "greeting", "{emq}:version")
  const right =
    actual.startsWith(`v${version}.`) &&
    printed.endsWith("hello\n") &&
    JSON.stringify(stored) === '["hello","echomq:4.0.0"]'
  return right ? [] : [`on ${actual} the first example printed ${printed} and left ${JSON.stringify(stored)}`]
}, Effect.scoped)

const destination = temporary("packed")
const packed = packages.map((name) => ({ name, ...pack(name, destination) }))
const project = consumer(packed.map(({ tarball }) => tarball))
const outside = relative(root, project).startsWith("..")
const problems = [
  ...packed.flatMap(({ content, name }) => contentProblems(content).map((problem) => `${name}: ${problem}`)),
  ...(outside ? [] : [`${project} is in the workspace`]),
  ...(await Effect.runPromise(Effect.forEach(VERSIONS, (version) => runs(project, version)))).flat()
]
conclude(
  problems,
  `${packages.length} packages, complete and mapped to their sources; the first example runs on Node.js ${VERSIONS.join(" and ")}`
)
