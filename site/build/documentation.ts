import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { files, read, root } from "@echomq/checks/repository"
import type { Plugin } from "vite"
import { addressOf, home, isImage } from "./addresses.ts"
import { document, type Sidebar } from "./document.ts"
import { footer, frame, header } from "./frame.ts"
import { problemsOf, readSite } from "./links.ts"
import { markdown } from "./markdown.ts"
import { groups } from "./pages.ts"
import { reference } from "./reference.ts"
import { source } from "./source.ts"

const sidebar: Sidebar = {
  name: "Documentation",
  groups: groups.map(({ name, pages }) => ({
    name,
    entries: pages.map((page) => ({ address: addressOf(page.path), name: page.name }))
  }))
}

/** The documentation around the exhibits: pages without a script, in one frame with them, whose links are checked. */
export const documentation = (): Plugin => ({
  name: "documentation",
  enforce: "post",
  transformIndexHtml: (html) =>
    html
      .replace("<body>", () => `<body>${header(home)}`)
      .replace("</body>", () => `${footer(home)}\n  </body>`),
  // Written beside what Vite has written, whose own report would otherwise name some hundred files.
  async writeBundle({ dir = "" }, bundle) {
    const write = (address: string, content: string | Uint8Array) => {
      mkdirSync(join(dir, dirname(address)), { recursive: true })
      writeFileSync(join(dir, address), content)
    }
    const built = Object.keys(bundle)
    const assets = {
      styles: built.filter((name) => name.endsWith(".css")),
      icon: built.find((name) => /\bicon\b.*\.svg$/.test(name))
    }
    const paths = groups.flatMap(({ pages }) => pages.map(({ path }) => path))
    const pages = [
      ...paths.map((path) => document(addressOf(path), markdown(path, read(path)), sidebar)),
      ...(await reference()),
      ...source(new Set(paths))
    ]
    for (const page of pages) write(page.address, frame(page, assets))
    for (const path of files("docs").filter(isImage)) write(addressOf(path), readFileSync(join(root, path)))

    const site = readSite(dir)
    const problems = problemsOf(site)
    if (problems.length > 0) this.error(`broken links:\n${problems.join("\n")}`)
    const links = Array.from(site.values()).reduce((sum, file) => sum + file.links.length, 0)
    this.info(`${pages.length} pages of documentation; ${links} links lead somewhere`)
  }
})
