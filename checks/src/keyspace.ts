/** Checks that `@echomq/keyspace` loads neither a driver nor anything of Node.js, and that it is as small as its README says. */
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { cache, conclude, read } from "./repository.ts"

const entries = ["@echomq/keyspace", "@echomq/keyspace/persistence", "@echomq/keyspace/testing"]

/** How far the README's size may be off, as a part of it. */
const TOLERANCE = 0.05

/** Everything that an entry loads, as a browser would: with Effect, or with that left out. */
const bundle = async (entry: string, external: ReadonlyArray<string>) => {
  const { metafile, outputFiles } = await build({
    stdin: { contents: `export * from ${JSON.stringify(entry)}`, resolveDir: cache("bundle") },
    bundle: true,
    format: "esm",
    platform: "browser",
    minify: true,
    metafile: true,
    write: false,
    // Anything of Node.js is left where it is, to be found below.
    external: ["node:*", ...external],
    logLevel: "silent"
  })
  return {
    modules: Object.keys(metafile.inputs),
    imports: Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path)),
    gzipped: gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).length
  }
}

const problems: Array<string> = []
for (const entry of entries) {
  const own = await bundle(entry, ["effect", "effect/*"])
  for (const path of own.imports.filter((path) => !/^effect(\/|$)/.test(path))) {
    problems.push(`${entry} imports ${path}`)
  }
  const whole = await bundle(entry, [])
  for (const path of whole.imports) problems.push(`${entry} loads ${path}`)
  for (const path of whole.modules.filter((path) => /glide|connector-wire/.test(path))) {
    problems.push(`${entry} loads ${path}`)
  }
}

const { gzipped } = await bundle("@echomq/keyspace", ["effect", "effect/*"])
const stated = Number(/([\d.]+) kB minified and gzipped/.exec(read("packages/keyspace/README.md"))?.[1])
const kilobytes = gzipped / 1000
if (!(Math.abs(kilobytes - stated) <= stated * TOLERANCE)) {
  problems.push(`packages/keyspace/README.md states ${stated} kB, and it is ${kilobytes.toFixed(1)} kB`)
}

conclude(
  problems,
  `nothing of Node.js and no driver in ${entries.join(", ")}; ${kilobytes.toFixed(2)} kB minified and gzipped without Effect`
)
