import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { reference as convert } from "@echomq/checks/reference"
import { load, type PluginOptions } from "typedoc-plugin-markdown"
import { addressOf } from "./addresses.ts"
import { document, type Sidebar } from "./document.ts"
import type { Page } from "./frame.ts"
import { markdown } from "./markdown.ts"

/** A page for each module and each namespace, with what tells something in its tables. */
const form: Partial<PluginOptions> = {
  entryFileName: "index",
  excludeScopesInPaths: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  tableColumnSettings: { hideDefaults: true, hideInherited: true, hideModifiers: true, hideSources: true }
}

/** The reference as Markdown, by the path that it would have in the repository. */
const generate = async (): Promise<ReadonlyMap<string, string>> => {
  const out = mkdtempSync(join(tmpdir(), "echomq-reference-"))
  try {
    const { problems } = await convert((app, project) => app.generateOutputs(project), {
      plugin: [load],
      name: "API reference",
      router: "module",
      outputs: [{ name: "markdown", path: out }],
      ...form
    })
    if (problems.length > 0) throw new Error(problems.join("\n"))
    const paths = globSync("**/*.md", { cwd: out })
    return new Map(
      paths.map((path) => [`api/${path.replaceAll("\\", "/")}`, readFileSync(join(out, path), "utf8")])
    )
  } finally {
    rmSync(out, { recursive: true })
  }
}

/** A module comes before its namespaces, and those before the modules within it. */
const place = (path: string): string => path.replace(/index\.md$/, "").replace("namespaces/", " ")

/** The API reference, from the doc comments of the packages. */
export const reference = async (): Promise<ReadonlyArray<Page>> => {
  const pages = Array.from(await generate(), ([path, text]) => {
    const rendered = markdown(path, text)
    const name = rendered.headings[0]?.title.replace("@echomq/", "") ?? path
    return { path, rendered, entry: { address: addressOf(path), name } }
  }).sort((one, other) => (place(one.path) < place(other.path) ? -1 : 1))
  const byPackage = Map.groupBy(pages, ({ path }) => path.split("/").at(1) ?? "")
  const sidebar: Sidebar = {
    name: "API reference",
    groups: Array.from(byPackage, ([name, inside]) => ({
      name: name === "index.md" ? "API reference" : `@echomq/${name}`,
      entries: inside.map(({ entry }) => entry)
    }))
  }
  return pages.map(({ entry, rendered }) => document(entry.address, rendered, sidebar, 2))
}
