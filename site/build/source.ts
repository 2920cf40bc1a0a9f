import { existsSync } from "node:fs"
import { basename, dirname, extname, join } from "node:path/posix"
import { files, read, root } from "@echomq/checks/repository"
import { between, isImage, sourceOf } from "./addresses.ts"
import type { Page } from "./frame.ts"
import { highlight } from "./highlight.ts"
import { escapeHtml } from "./html.ts"

/** What there is to read of the repository, beside its documentation. */
const shown = ["LICENSE", "demo", "examples", "native", "packages", "site/record", "site/src", "vectors"]

/** The folders that a path is in, from the outermost, and last the path itself. */
const trail = (path: string): ReadonlyArray<string> =>
  path === "." ? [path] : [...trail(dirname(path)), path]

const name = (path: string): string => (path === "." ? "Source" : basename(path))

const page = (path: string, content: string): Page => {
  const address = sourceOf(path)
  const crumbs = trail(dirname(path)).map(
    (folder) => `<li><a href="${between(address, sourceOf(folder))}">${escapeHtml(name(folder))}</a></li>`
  )
  return {
    address,
    title: path === "." ? "Source" : path,
    body: `    <main id="content" class="source">${
      path === "."
        ? ""
        : `
      <nav aria-label="Folders"><ol class="trail">${crumbs.join("")}</ol></nav>`
    }
      <h1>${escapeHtml(name(path))}</h1>
${content}
    </main>`
  }
}

/** A file's text, each line with its number for an anchor, as `#L7`. */
const file = (path: string): Page => {
  const lines = highlight(read(path).trimEnd(), extname(path).slice(1))
  const numbered = lines.map((line, index) => `<span class="line" id="L${index + 1}">${line}</span>`)
  const label = escapeHtml(`Code of ${path}`)
  return page(
    path,
    `<pre class="code" role="region" tabindex="0" aria-label="${label}"><code>${numbered.join("\n")}</code></pre>`
  )
}

const folder = (path: string, inside: ReadonlyArray<string>): Page => {
  const entries = inside.map(
    (entry) =>
      `<li><a href="${between(sourceOf(path), sourceOf(entry))}">${escapeHtml(basename(entry))}</a></li>`
  )
  return page(path, `<ul class="files">${entries.join("")}</ul>`)
}

/** A page for each file and each folder. What is a page of its own already, as a Markdown file is, is only listed. */
export const source = (listed: ReadonlySet<string>): ReadonlyArray<Page> => {
  const paths = files(...shown).filter(
    (path) =>
      existsSync(join(root, path)) &&
      !isImage(path) &&
      !basename(path).startsWith(".") &&
      (!path.endsWith(".md") || listed.has(path))
  )
  const folders = Map.groupBy(
    new Set(paths.flatMap((path) => trail(path)).filter((path) => path !== ".")),
    (path) => dirname(path)
  )
  return [
    ...paths.filter((path) => !path.endsWith(".md")).map(file),
    ...Array.from(folders, ([path, inside]) => folder(path, inside))
  ]
}
