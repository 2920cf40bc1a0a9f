import { dirname, join } from "node:path/posix"
import { anchors } from "@echomq/checks/anchors"
import MarkdownIt, { type Token } from "markdown-it"
import { addressOf, between } from "./addresses.ts"
import { highlight } from "./highlight.ts"
import { escapeHtml } from "./html.ts"

export interface Heading {
  readonly level: number
  readonly title: string
  readonly anchor: string
}

export interface Rendered {
  readonly html: string
  readonly headings: ReadonlyArray<Heading>
}

const parser = new MarkdownIt({ html: true })

/** What is wider than a small screen scrolls by itself, by keyboard too, and says what it is. */
const region = (token: Token | undefined): string =>
  `role="region" tabindex="0" aria-label="${escapeHtml(String(token?.meta?.label))}"`

parser.renderer.rules.table_open = (tokens, index) => `<div class="table" ${region(tokens[index])}><table>`
parser.renderer.rules.table_close = () => "</table></div>"
parser.renderer.rules.fence = (tokens, index) => {
  const { content = "", info = "" } = tokens[index] ?? {}
  const lines = highlight(content.trimEnd(), info.trim())
  return `<pre class="code" ${region(tokens[index])}><code>${lines.join("\n")}</code></pre>`
}

const textOf = (token: Token | undefined): string =>
  (token?.children ?? [])
    .filter(({ type }) => type === "text" || type === "code_inline")
    .map(({ content }) => content)
    .join("")

/** A link in the repository as the link on the site. */
const onSite = (path: string, link: string): string => {
  if (/^([a-z]+:|#)/i.test(link)) return link
  const [target = "", anchor] = decodeURI(link).split("#")
  const address = between(addressOf(path), addressOf(join(dirname(path), target)))
  return encodeURI(anchor === undefined ? address : `${address}#${anchor}`)
}

/** Renders a page of the repository, its links as links of the site. */
export const markdown = (path: string, text: string): Rendered => {
  const anchorOf = anchors()
  const headings: Array<Heading> = []
  const counts = new Map<string, number>()
  const label = (kind: string): string => {
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    return `${kind} ${count}: ${headings.at(-1)?.title ?? path}`
  }
  const relink = (token: Token, name: string): void => {
    const link = token.attrGet(name)
    if (link !== null) token.attrSet(name, onSite(path, String(link)))
  }

  const tokens = parser.parse(text, {})
  for (const [index, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const title = textOf(tokens[index + 1])
      const heading = { level: Number(token.tag.slice(1)), title, anchor: anchorOf(title) }
      token.attrSet("id", heading.anchor)
      headings.push(heading)
    }
    // A column without a title has no header cell.
    if (token.type === "th_open" && tokens[index + 1]?.content === "") {
      for (const cell of tokens.slice(index, index + 3)) if (cell.tag === "th") cell.tag = "td"
    }
    if (token.type === "table_open") token.meta = { label: label("Table") }
    if (token.type === "fence") token.meta = { label: label("Code") }
    for (const child of token.children ?? []) {
      if (child.type === "link_open") relink(child, "href")
      if (child.type === "image") relink(child, "src")
    }
  }
  return { html: parser.renderer.render(tokens, parser.options, {}), headings }
}
