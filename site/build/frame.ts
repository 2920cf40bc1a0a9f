import { between, home } from "./addresses.ts"
import { escapeHtml } from "./html.ts"

/** What the build made for every page, by its address. */
export interface Assets {
  readonly styles: ReadonlyArray<string>
  readonly icon: string | undefined
}

export interface Page {
  readonly address: string
  readonly title: string
  /** What stands between the header and the footer. */
  readonly body: string
}

const sections = [
  {
    name: "Documentation",
    address: "docs/fence.html",
    holds: /^(docs|packages|native|torture)\/|^[A-Z]+\.html$/
  },
  { name: "API reference", address: "api/index.html", holds: /^api\// }
]

/** The page itself is current, or else the section that it is in. */
const current = (address: string, link: string, holds: boolean): string =>
  address === link ? ' aria-current="page"' : holds ? ' aria-current="true"' : ""

export const header = (address: string): string => `
    <a class="skip" href="#content">Skip to the content</a>
    <header class="site-header">
      <nav aria-label="Site">
        <a class="brand" href="${between(address, home)}"${current(address, home, false)}>EchoMQ</a>
        <ul>${sections
          .map(
            (section) => `
          <li><a href="${between(address, section.address)}"${current(address, section.address, section.holds.test(address))}>${section.name}</a></li>`
          )
          .join("")}
        </ul>
      </nav>
    </header>`

export const footer = (address: string): string => `
    <footer class="site-footer">
      <p>
        EchoMQ for TypeScript: <a href="${between(address, "source/index.html")}">source</a>,
        <a href="${between(address, "source/LICENSE.html")}">MIT licence</a>. These pages load nothing from anywhere else.
      </p>
    </footer>`

/** A page without a script, in the frame that is around every page. */
export const frame = ({ address, body, title }: Page, { icon, styles }: Assets): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escapeHtml(title)} · EchoMQ</title>${
      icon === undefined
        ? ""
        : `
    <link rel="icon" href="${between(address, icon)}" type="image/svg+xml" />`
    }${styles
      .map(
        (style) => `
    <link rel="stylesheet" href="${between(address, style)}" />`
      )
      .join("")}
  </head>
  <body>${header(address)}
${body}${footer(address)}
  </body>
</html>
`
