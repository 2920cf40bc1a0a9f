import type { Panel } from "../Section.ts"

const WIDTH = 440
const HEIGHT = 280
const ACROSS = 2
const MARGIN = { left: 64, right: 16, top: 40, bottom: 36 }
const LEGEND = 32

/** Chosen to stand out on white and on black. */
const colours = ["#e8590c", "#1c7ed6", "#2f9e44", "#ae3ec9", "#868e96"]

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const compact = (value: number): string =>
  value.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 })

/** The powers of ten between which all values lie, with 2 and 5 times each as the lines between. */
const scale = (values: ReadonlyArray<number>) => {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.log10(Math.max(...values) * 1.15)
  const inner = HEIGHT - MARGIN.top - MARGIN.bottom
  const y = (value: number) => HEIGHT - MARGIN.bottom - ((Math.log10(value) - low) / (high - low)) * inner
  const lines: Array<number> = []
  for (let power = low; power <= high; power++) {
    for (const step of [1, 2, 5]) if (Math.log10(step * 10 ** power) <= high) lines.push(step * 10 ** power)
  }
  return { y, lines }
}

const panel = ({ points, series, title }: Panel, at: number): string => {
  const { lines, y } = scale(series.flatMap(({ values }) => values))
  const step = (WIDTH - MARGIN.left - MARGIN.right) / (points.length - 1)
  const x = (i: number) => MARGIN.left + i * step
  const grid = lines.map(
    (value) =>
      `<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}"/>` +
      `<text x="${MARGIN.left - 8}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${compact(value)}</text>`
  )
  const names = points.map(
    (point, i) =>
      `<text x="${x(i).toFixed(1)}" y="${HEIGHT - 14}" text-anchor="middle">${escape(point)}</text>`
  )
  const drawn = series.map(({ values }, s) => {
    const dots = values.map((value, i) => [x(i).toFixed(1), y(value).toFixed(1)] as const)
    const colour = colours[s % colours.length]
    return (
      `<polyline points="${dots.map((dot) => dot.join(",")).join(" ")}" fill="none" stroke="${colour}" stroke-width="${s === 0 ? 3 : 1.75}"/>` +
      dots
        .map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="${s === 0 ? 4 : 3}" fill="${colour}"/>`)
        .join("")
    )
  })
  // The first line is the connector's: it goes on top.
  const body = [...grid, ...names, ...drawn.toReversed()].join("\n")
  const place = `translate(${(at % ACROSS) * WIDTH} ${LEGEND + Math.floor(at / ACROSS) * HEIGHT})`
  return `<g transform="${place}">\n<text class="title" x="${MARGIN.left}" y="22">${escape(title)}</text>\n${body}\n</g>`
}

const legend = (names: ReadonlyArray<string>): string =>
  names
    .map(
      (name, i) =>
        `<circle cx="${MARGIN.left + i * 130}" cy="18" r="5" fill="${colours[i % colours.length]}"/>` +
        `<text x="${MARGIN.left + 12 + i * 130}" y="22">${escape(name)}</text>`
    )
    .join("\n")

const style = `
text { font: 12px system-ui, sans-serif; fill: #424a53 }
.title { font-weight: 600; font-size: 13px }
.grid { stroke: #8b949e; stroke-opacity: 0.3 }
@media (prefers-color-scheme: dark) { text { fill: #c9d1d9 } }
`

/** Panels of lines as an SVG that can be read on a light and on a dark page. Both axes grow by factors. */
export const chart = (panels: ReadonlyArray<Panel>): string => {
  const width = WIDTH * Math.min(ACROSS, panels.length)
  const height = LEGEND + HEIGHT * Math.ceil(panels.length / ACROSS)
  const names = panels[0]?.series.map(({ name }) => name) ?? []
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(panels.map(({ title }) => title).join("; "))}">`,
    `<style>${style}</style>`,
    legend(names),
    ...panels.map(panel),
    "</svg>\n"
  ].join("\n")
}
