import { Scroller } from "../page/Scroller.tsx"
import type { Scene } from "./Recording.ts"
import { clients, countsAt, isForeign } from "./Timeline.ts"

interface CountsProps {
  readonly scene: Scene
  readonly time: number
}

/** What had become of the writes by a time. */
export const Counts = ({ scene, time }: CountsProps) => (
  <Scroller class="table" label="Writes so far">
    <table>
      <caption>Writes by {time} ms</caption>
      <thead>
        <tr>
          <th scope="col">client</th>
          <th scope="col">acknowledged by a node that matches</th>
          <th scope="col">failed</th>
          {isForeign(scene) && <th scope="col">acknowledged by the foreign node</th>}
        </tr>
      </thead>
      <tbody>
        {clients.map(({ id, name }) => {
          const { failed, foreign, kept } = countsAt(scene, scene[id], time)
          return (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td>{kept}</td>
              <td>{failed}</td>
              {isForeign(scene) && <td class={foreign > 0 ? "harm" : undefined}>{foreign}</td>}
            </tr>
          )
        })}
      </tbody>
    </table>
  </Scroller>
)
