import { globSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { dirname, join as joinAddress } from "node:path/posix"

/** What an element of a page names: another page, an anchor, or something that the browser loads with the page. */
export interface Link {
  readonly page: string
  readonly link: string
  readonly loads: boolean
}

/** A file of the build, as far as links go. */
export interface SiteFile {
  readonly anchors: ReadonlySet<string>
  readonly links: ReadonlyArray<Link>
  /** A page with a script makes anchors as it runs, so that they are for a browser to check. */
  readonly hasScript: boolean
}

/** The files of a finished build, by address. */
export type Site = ReadonlyMap<string, SiteFile>

const tag = /<([a-z][\w-]*)((?:"[^"]*"|'[^']*'|[^'">])*)>/gi
const attribute = /([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const reference = /url\(\s*["']?([^"')]+)["']?\s*\)|@import\s+["']([^"']+)["']/g

const unescape = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&")

/** What markup holds, a page's or a picture's. The text of scripts and comments is none. */
const readMarkup = (page: string, text: string): SiteFile => {
  const anchors = new Set<string>()
  const links: Array<Link> = []
  let hasScript = false
  const markup = text
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/(<script\b[^>]*>)[\s\S]*?(<\/script>)/gi, "$1$2")
  for (const [, element = "", attributes = ""] of markup.matchAll(tag)) {
    if (element === "script") hasScript = true
    for (const [, name = "", quoted, single = ""] of attributes.matchAll(attribute)) {
      const value = unescape(quoted ?? single)
      if (name === "id") anchors.add(value)
      if (/^(src|href|poster|data|action|xlink:href)$/.test(name)) {
        links.push({ page, link: value, loads: element !== "a" && element !== "form" })
      }
      if (name === "srcset") {
        links.push(
          ...value.split(",").map((part) => ({ page, link: part.trim().split(/\s/)[0] ?? "", loads: true }))
        )
      }
      if (name === "style") links.push(...readStyle(page, value).links)
    }
  }
  return { anchors, links, hasScript }
}

const readStyle = (page: string, text: string): SiteFile => ({
  anchors: new Set(),
  links: Array.from(text.matchAll(reference), ([, url, imported = ""]) => ({
    page,
    link: url ?? imported,
    loads: true
  })),
  hasScript: false
})

/** Reads a finished build. */
export const readSite = (directory: string): Site =>
  new Map(
    globSync("**/*.*", { cwd: directory }).map((path) => {
      const text = () => readFileSync(join(directory, path), "utf8")
      const address = path.replaceAll("\\", "/")
      switch (extname(path)) {
        case ".html":
        case ".svg":
          return [address, readMarkup(address, text())]
        case ".css":
          return [address, readStyle(address, text())]
        default:
          return [address, { anchors: new Set(), links: [], hasScript: false }]
      }
    })
  )

/** What is wrong with a link of the site, if anything. */
export const problemOf = (site: Site, { link, loads, page }: Link): string | undefined => {
  if (/^([a-z][a-z\d+.-]*:|\/\/)/i.test(link)) {
    return loads && !link.startsWith("data:") ? `${page}: loads ${link} from elsewhere` : undefined
  }
  if (link.startsWith("/")) return `${page}: ${link} is not relative`
  const [target = "", anchor] = decodeURIComponent(link).split("#")
  const address = target === "" ? page : joinAddress(dirname(page), target)
  const file = site.get(address)
  if (file === undefined) return `${page}: ${link} is not there`
  if (anchor === undefined || file.hasScript || file.anchors.has(anchor)) return undefined
  return `${page}: ${link} names no anchor`
}

/** What is wrong with the links of a finished build. */
export const problemsOf = (site: Site): ReadonlyArray<string> =>
  Array.from(site.values()).flatMap(({ links }) => links.flatMap((link) => problemOf(site, link) ?? []))
