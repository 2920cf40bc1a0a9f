/** Checks that what the links of the documentation point to is there: files, and headings of pages. */
import { existsSync, statSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { anchors } from "./anchors.ts"
import { conclude, files, read, root } from "./repository.ts"

const pages = files("*.md").filter((path) => existsSync(join(root, path)))

/** A page without its code, where nothing is a link. */
const prose = (path: string): string =>
  read(path)
    .replace(/^```[\s\S]*?^```$/gm, "")
    .replace(/`[^`\n]*`/g, "")

/** The anchors of a page's headings. */
const anchorsOf = (path: string): ReadonlySet<string> => {
  const anchorOf = anchors()
  return new Set(
    Array.from(
      read(path)
        .replace(/^```[\s\S]*?^```$/gm, "")
        .matchAll(/^#+ (.+)$/gm),
      ([, title = ""]) => anchorOf(title)
    )
  )
}

const problemOf = (page: string, link: string): string | undefined => {
  const [target = "", anchor] = link.split("#")
  const path = target === "" ? page : normalize(join(dirname(page), decodeURIComponent(target)))
  if (path.startsWith("..")) return `${page}: ${link} leads out of the repository`
  if (!existsSync(join(root, path))) return `${page}: ${link} is not there`
  if (anchor === undefined || statSync(join(root, path)).isDirectory()) return undefined
  return anchorsOf(path).has(anchor) ? undefined : `${page}: ${link} names no heading`
}

const links = pages.flatMap((page) =>
  Array.from(prose(page).matchAll(/\]\(<?([^)\s>]+)>?[^)]*\)/g), ([, link = ""]) => ({ page, link }))
)
const own = links.filter(({ link }) => !/^[a-z]+:/i.test(link))

conclude(
  own.flatMap(({ link, page }) => problemOf(page, link) ?? []),
  `${own.length} links in ${pages.length} pages lead somewhere`
)
