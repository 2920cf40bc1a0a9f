import { type BundledLanguage, createCssVariablesTheme, createHighlighter } from "shiki"
import { escapeHtml } from "./html.ts"

/** The theme names the kind of each token, `var(--token-keyword)`, and leaves its colour to the style sheet. */
const theme = createCssVariablesTheme({ name: "kinds", variablePrefix: "--" })
const kind = /^var\(--token-([a-z-]+)\)$/

const languages: Readonly<Record<string, BundledLanguage>> = {
  ts: "ts",
  tsx: "tsx",
  mjs: "js",
  json: "json",
  rs: "rust",
  toml: "toml",
  lua: "lua",
  sh: "sh"
}

const highlighter = await createHighlighter({
  themes: [theme],
  langs: [...new Set(Object.values(languages))]
})

/** The lines of a code as HTML. What is in no language known here stays plain. */
export const highlight = (code: string, language: string): ReadonlyArray<string> =>
  highlighter.codeToTokensBase(code, { lang: languages[language] ?? "text", theme }).map((line) =>
    line
      .map(({ color = "", content }) => {
        const [, name] = kind.exec(color) ?? []
        const text = escapeHtml(content)
        return name === undefined || name === "punctuation" ? text : `<span class="${name}">${text}</span>`
      })
      .join("")
  )
