import { join } from "node:path"
import {
  Application,
  Converter,
  type ProjectReflection,
  ReflectionKind,
  TSConfigReader,
  type TypeDocOptions
} from "typedoc"
import { packages, read, root } from "./repository.ts"

/** What applications import, by the file that it is. */
const modules = new Map<string, string>()
for (const name of packages) {
  const { exports }: { exports: Record<string, string> } = JSON.parse(read(`packages/${name}/package.json`))
  for (const [path, file] of Object.entries(exports)) {
    if (file.endsWith(".ts")) modules.set(join(root, "packages", name, file), join("@echomq", name, path))
  }
}

/** Reads the API reference from the doc comments, writes it in some form, and gives its modules and what is wrong. */
export const reference = async (
  write: (app: Application, project: ProjectReflection) => Promise<void>,
  options: Partial<TypeDocOptions> = {}
) => {
  const app = await Application.bootstrapWithPlugins(
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
      logLevel: "Warn",
      ...options
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
  if (project !== undefined) await write(app, project)

  const named = project?.children?.map(({ name }) => name) ?? []
  return {
    modules: named,
    problems: [
      ...(project === undefined || app.logger.hasErrors() || app.logger.hasWarnings()
        ? ["the reference was not generated without errors and warnings"]
        : []),
      ...Array.from(modules.values())
        .filter((name) => !named.includes(name))
        .map((name) => `${name} is missing`)
    ]
  }
}
