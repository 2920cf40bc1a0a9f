import { useId, useState } from "preact/hooks"
import { Exhibit } from "../page/Exhibit.tsx"
import { Player } from "../player/Player.tsx"
import { Chart } from "./Chart.tsx"
import { Counts } from "./Counts.tsx"
import { Happenings } from "./Happenings.tsx"
import type { Recording, Scene } from "./Recording.ts"
import record from "./recording.json" with { type: "json" }
import { isForeign, spanOf, unacknowledged } from "./Timeline.ts"
import "./reconnect.css"

const recording: Recording = record

/** One press of a button, in milliseconds. */
const STEP = 100

const summary = (scene: Scene): string => {
  const { connector, glide, holds } = scene
  const late = unacknowledged(glide)
  if (!isForeign(scene)) {
    return `Both go on. GLIDE wrote ${glide.landed} times on the second node; the connector first read ${holds} on its new connection, then wrote ${connector.landed} times.`
  }
  return [
    `GLIDE connected again by itself: ${glide.landed} writes landed on a node that holds ${holds}.`,
    ...(late > 0 ? [`Of these, ${late} had been reported as failed.`] : []),
    `The connector wrote ${connector.landed === 0 ? "nothing" : connector.landed} there: it read the key first, and stopped.`
  ].join(" ")
}

export const ReconnectExhibit = () => {
  const id = useId()
  const [index, setIndex] = useState(0)
  const scene = recording.scenes[index] as Scene
  const [from, to] = spanOf(scene)
  const [time, setTime] = useState(to)
  const { glide, node, valkey } = recording.versions
  return (
    <Exhibit
      id="reconnect"
      title="Reconnect"
      lead={
        <>
          A writer is at work when its node is killed and replaced. A client that reconnects by itself goes on
          writing to whatever answers; the connector's link is held to one connection, and a new one is fenced
          like the first. This is a recording from real servers, made by{" "}
          <a href="source/site/record/main.ts.html">site/record/main.ts</a> with Valkey {valkey}, GLIDE{" "}
          {glide} and Node.js {node}. <a href="docs/driver.html">The driver's traps</a> say how the link is
          held.
        </>
      }
    >
      <fieldset>
        <legend>The node is replaced by</legend>
        <div class="choice">
          {recording.scenes.map((scene, at) => (
            <label key={scene.holds}>
              <input
                type="radio"
                name={id}
                checked={at === index}
                onChange={() => {
                  setIndex(at)
                  setTime(spanOf(scene)[1])
                }}
              />
              one that holds {scene.holds}
            </label>
          ))}
        </div>
      </fieldset>
      <p role="status">{summary(scene)}</p>
      <Chart scene={scene} time={time} />
      <p class="hint">
        Each bar is a write, as long as it took; the writer pauses after each, so that they can be told apart,
        and one that does not would make far more of them. A bar above the line was acknowledged, a tall one
        by a node of another wire; one below it failed. In the dashed gap no node runs. Where the connector
        has read the second node's key, an upright line says what came of it.
      </p>
      <div class="field">
        <label for={`${id}-time`}>Time, in ms from the kill</label>
        <input
          id={`${id}-time`}
          type="range"
          min={from}
          max={to}
          value={time}
          onInput={({ currentTarget }) => setTime(currentTarget.valueAsNumber)}
        />
      </div>
      <Player
        label="Play the recording"
        atStart={time === from}
        atEnd={time === to}
        onStep={() => setTime((time) => Math.min(to, time + STEP))}
        onEnd={() => setTime(to)}
        onReset={() => setTime(from)}
      />
      <Counts scene={scene} time={time} />
      <Happenings scene={scene} />
    </Exhibit>
  )
}
