import { between } from "./addresses.ts"
import type { Page } from "./frame.ts"
import { escapeHtml } from "./html.ts"
import type { Heading, Rendered } from "./markdown.ts"

/** The list of pages beside a page. */
export interface Sidebar {
  readonly name: string
  readonly groups: ReadonlyArray<{ readonly name: string; readonly entries: ReadonlyArray<Entry> }>
}

export interface Entry {
  readonly address: string
  readonly name: string
}

const item = (href: string, name: string, more = ""): string =>
  `<li><a href="${escapeHtml(href)}"${more}>${escapeHtml(name)}</a></li>`

const sidebarOf = (address: string, { groups, name }: Sidebar): string => `
      <nav class="pages" aria-label="${escapeHtml(name)}"><details><summary>${escapeHtml(name)}</summary>${groups
        .map(
          (group) => `
        <p>${escapeHtml(group.name)}</p>
        <ul>${group.entries
          .map((entry) =>
            item(
              between(address, entry.address),
              entry.name,
              entry.address === address ? ' aria-current="page"' : ""
            )
          )
          .join("")}</ul>`
        )
        .join("")}
      </details></nav>`

const list = (headings: ReadonlyArray<Heading>): string =>
  `<ul class="chips">${headings.map(({ anchor, title }) => item(`#${anchor}`, title)).join("")}</ul>`

/** Puts under each heading of this level, that of the page first, links to those of the next level within it. */
const withContents = ({ headings, html }: Rendered, level: number): string =>
  headings.reduce((text, heading, index) => {
    if (heading.level !== level) return text
    const rest = headings.slice(index + 1)
    const end = rest.findIndex((other) => other.level <= level)
    const within = rest.slice(0, end < 0 ? undefined : end).filter((other) => other.level === level + 1)
    if (within.length < 2) return text
    const label = level === 1 ? "On this page" : heading.title
    const opening = `<h${level} id="${heading.anchor}">`
    const at = text.indexOf(`</h${level}>`, text.indexOf(opening)) + `</h${level}>`.length
    return `${text.slice(0, at)}\n<nav aria-label="${escapeHtml(label)}">${list(within)}</nav>${text.slice(at)}`
  }, html)

/** A page of text beside the list of its like. `depth` is how many levels of headings have lists of what is in them. */
export const document = (address: string, rendered: Rendered, sidebar: Sidebar, depth = 1): Page => {
  let html = rendered.html
  for (let level = 1; level <= depth; level++) html = withContents({ ...rendered, html }, level)
  return {
    address,
    title: rendered.headings[0]?.title ?? address,
    body: `    <div class="document">${sidebarOf(address, sidebar)}
      <main id="content">
${html}
      </main>
    </div>`
  }
}
