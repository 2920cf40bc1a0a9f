/** Checks that the lint rules refuse each import against the arrows `keyspace ← connector-wire4 ← connector-wire6`, and no other. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { conclude, read, root, temporary } from "./repository.ts"

const keyspace = "@echomq/keyspace"
const wire4 = "@echomq/connector-wire4"
const link = "@echomq/connector-wire4/link"
const wire6 = "@echomq/connector-wire6"
const glide = "@valkey/valkey-glide"
const sockets = ["node:net", "node:tls"]

/** What a file there must not import, and what it may. */
const rules = [
  {
    from: "packages/keyspace/src/x.ts",
    refused: [wire4, link, wire6, glide, ...sockets, "node:fs"],
    allowed: ["effect"]
  },
  {
    from: "packages/connector-wire4/src/link/x.ts",
    refused: [wire6, glide, ...sockets],
    allowed: [keyspace, "node:crypto"]
  },
  {
    from: "packages/connector-wire4/src/link/glide/x.ts",
    refused: [wire6],
    allowed: [keyspace, glide, ...sockets]
  },
  {
    from: "packages/connector-wire6/src/x.ts",
    refused: [wire4, glide, ...sockets],
    allowed: [keyspace, link]
  }
]

/** A checkout with nothing but the rules and these files. */
const project = temporary("arrows")
const config = JSON.parse(read("biome.json"))
writeFileSync(join(project, "biome.json"), JSON.stringify({ ...config, vcs: { enabled: false } }))
cpSync(join(root, "lint"), join(project, "lint"), { recursive: true })

/** Of these imports, those that the rules refuse there. */
const refusedOf = (from: string, imports: ReadonlyArray<string>): ReadonlyArray<string> => {
  const path = join(project, from)
  mkdirSync(dirname(path), { recursive: true })
  return imports.filter((name) => {
    writeFileSync(path, `export { x } from "${name}"\nimport { y } from "${name}"\n\nexport const z = y\n`)
    const { stdout } = spawnSync(join(root, "node_modules/.bin/biome"), ["lint", "--reporter=json", from], {
      cwd: project,
      encoding: "utf8"
    })
    return stdout.includes("lint/style/noRestrictedImports")
  })
}

const problems = rules.flatMap(({ allowed, from, refused }) => {
  const found = refusedOf(from, [...refused, ...allowed])
  return [
    ...refused.filter((name) => !found.includes(name)).map((name) => `${from} may import ${name}`),
    ...allowed.filter((name) => found.includes(name)).map((name) => `${from} may not import ${name}`)
  ]
})
conclude(problems, `${rules.flatMap(({ refused }) => refused).length} imports against the arrows are refused`)
