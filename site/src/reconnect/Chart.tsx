import { Scroller } from "../page/Scroller.tsx"
import type { Lane, Scene } from "./Recording.ts"
import { clients, type Fate, fateOf, isForeign, spanOf } from "./Timeline.ts"

const WIDTH = 880
const LANE = 116
const TOP = 30
const HEIGHT = TOP + clients.length * LANE + 26

/** How far above the line a write's mark reaches, and how far below, so that none is told by its colour alone. */
const reach: Record<Fate, readonly [above: number, below: number]> = {
  kept: [16, 0],
  foreign: [44, 0],
  failed: [0, 16]
}

interface ChartProps {
  readonly scene: Scene
  /** The time that is pointed at. */
  readonly time: number
}

/** The writes of both clients over one time, as a picture of what the table says. */
export const Chart = ({ scene, time }: ChartProps) => {
  const [from, to] = spanOf(scene)
  const x = (at: number): number => ((at - from) / (to - from)) * WIDTH
  const seconds = Array.from(
    { length: Math.floor((to - from) / 500) + 1 },
    (_, i) => Math.ceil(from / 500) * 500 + i * 500
  )
  return (
    <Scroller class="timeline" label="Timeline">
      <svg viewBox={`-2 0 ${WIDTH + 4} ${HEIGHT}`} aria-hidden="true">
        {clients.map(({ id, name }, index) => (
          <g key={id} transform={`translate(0 ${TOP + index * LANE})`}>
            <Band lane={scene[id]} foreign={isForeign(scene)} x={x} />
            <text x={8} y={18} class="name">
              {name}
            </text>
            <Writes lane={scene[id]} scene={scene} x={x} />
            <Fenced lane={scene[id]} x={x} />
          </g>
        ))}
        <line class="cursor" x1={x(time)} x2={x(time)} y1={TOP - 6} y2={HEIGHT - 22} />
        <text x={x(0)} y={18} class="label" text-anchor="middle">
          node killed
        </text>
        {seconds
          .filter((at) => at >= from && at <= to)
          .map((at) => (
            <text key={at} x={x(at)} y={HEIGHT - 6} class="label" text-anchor="middle">
              {at} ms
            </text>
          ))}
      </svg>
    </Scroller>
  )
}

interface PartProps {
  readonly lane: Lane
  readonly x: (at: number) => number
}

/** The nodes behind a lane: the first, none, and the second. */
const Band = ({ foreign, lane, x }: PartProps & { readonly foreign: boolean }) => (
  <>
    <rect class="node" x={0} width={x(0)} height={LANE - 8} />
    <rect class="no-node" x={x(0)} width={x(lane.up) - x(0)} height={LANE - 8} />
    <rect
      class={foreign ? "node foreign" : "node"}
      x={x(lane.up)}
      width={WIDTH - x(lane.up)}
      height={LANE - 8}
    />
    <text x={x(lane.up) + 8} y={18} class="label">
      {foreign ? "a node of another wire" : "a node of the same wire"}
    </text>
  </>
)

const Writes = ({ lane, scene, x }: PartProps & { readonly scene: Scene }) => (
  <g transform={`translate(0 ${LANE - 44})`}>
    <line class="axis" x2={WIDTH} />
    {lane.runs.flatMap((run) => {
      const fate = fateOf(scene, run)
      const [above, below] = reach[fate]
      return run.calls.map(({ from, to }) => (
        <rect
          key={from}
          class={`write ${fate}`}
          x={x(from)}
          width={Math.max(3, x(to) - x(from))}
          y={-above}
          height={above + below}
        />
      ))
    })}
  </g>
)

const verdicts = new Map([
  ["Serving", { kind: "verified", text: "key read: serves again" }],
  ["Stopped", { kind: "refused", text: "key read: refused, stopped for good" }]
])

/** Where the connector's fence has judged the second node. */
const Fenced = ({ lane: { changes }, x }: PartProps) =>
  changes.map(({ at, status }) => {
    const verdict = verdicts.get(status)
    if (verdict === undefined || at < 0) return
    return (
      <g key={at} class={`fenced ${verdict.kind}`}>
        <line x1={x(at)} x2={x(at)} y1={26} y2={LANE - 12} />
        <text x={x(at) + 8} y={38}>
          {verdict.text}
        </text>
      </g>
    )
  })
