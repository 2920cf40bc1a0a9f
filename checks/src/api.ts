/** Generates the API reference from the doc comments, into docs/api. Anything that it warns of is a failure. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { Application, Converter, ReflectionKind, TSConfigReader } from "typedoc"
import { conclude, packages, read, root } from "./repository.ts"

/** What applications import, by the file that it is. */
const modules = new Map<string, string>()
for (const name of packages) {
  const { exports }: { exports: Record<string, string> } = JSON.parse(read(`packages/${name}/package.json`))
  for (const [path, file] of Object.entries(exports)) {
    if (file.endsWith(".ts")) modules.set(join(root, "packages", name, file), join("@echomq", name, path))
  }
}

const out = join(root, "docs/api")
rmSync(out, { recursive: true, force: true })

const app = await Application.bootstrap(
  {
    name: "EchoMQ for TypeScript",
    readme: "none",
    entryPoints: [...modules.keys()],
    tsconfig: join(root, "checks/tsconfig.api.json"),
    excludePrivate: true,
    excludeProtected: true,
    excludeInternal: true,
    excludeExternals: true,
    disableGit: true,
    sourceLinkTemplate: "none",
    hideGenerator: true,
    treatWarningsAsErrors: true,
    logLevel: "Warn"
  },
  [new TSConfigReader()]
)
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const module of project.children ?? []) {
    const [{ fullFileName = "" } = {}] = module.sources ?? []
    module.name = modules.get(fullFileName) ?? module.name
  }
  // Where this checkout is, is nobody's business.
  for (const reflection of project.getReflectionsByKind(ReflectionKind.All))
    delete (reflection as { sources?: unknown }).sources
})
const project = await app.convert()
if (project !== undefined) await app.generateDocs(project, out)

const named = project?.children?.map(({ name }) => name) ?? []
conclude(
  [
    ...(project === undefined || app.logger.hasErrors() || app.logger.hasWarnings()
      ? ["the reference was not generated without errors and warnings"]
      : []),
    ...Array.from(modules.values())
      .filter((name) => !named.includes(name))
      .map((name) => `${name} is missing`)
  ],
  `docs/api has ${named.join(", ")}`
)
