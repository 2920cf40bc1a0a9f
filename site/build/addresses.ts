import { statSync } from "node:fs"
import { dirname, extname, join, relative } from "node:path/posix"
import { root } from "@echomq/checks/repository"

/** The page of exhibits, which is the site's first. */
export const home = "index.html"

/** An exhibit's code is in a folder of its own; on the site a link to that leads to the exhibit. */
const exhibit = /^site\/src\/(fence|race|module|reserve|reconnect)\/?$/

const images: ReadonlySet<string> = new Set([".svg", ".png"])

export const isImage = (path: string): boolean => images.has(extname(path))

const isFolder = (path: string): boolean =>
  statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false

/** Where on the site a file is to be read, or a folder's files are listed. */
export const sourceOf = (path: string): string => {
  if (path.endsWith(".md")) return path.replace(/md$/, "html")
  return isFolder(path) ? join("source", path, "index.html") : `source/${path}.html`
}

/** Where on the site a link to a file or a folder of the repository leads. */
export const addressOf = (path: string): string => {
  const [, id] = exhibit.exec(path) ?? []
  if (id !== undefined) return `${home}#${id}`
  return isImage(path) ? path : sourceOf(path)
}

/** How one page of the site names another, wherever the site is. */
export const between = (from: string, to: string): string => relative(dirname(from), to)
