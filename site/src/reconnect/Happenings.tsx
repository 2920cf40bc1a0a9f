import { Scroller } from "../page/Scroller.tsx"
import type { Scene } from "./Recording.ts"
import { clients, happenings } from "./Timeline.ts"

const span = (from: number, to: number): string => (from === to ? `${from}` : `${from} to ${to}`)

/** The timeline in words. */
export const Happenings = ({ scene }: { readonly scene: Scene }) => (
  <details>
    <summary>The same in words</summary>
    {clients.map(({ id, name }) => (
      <Scroller key={id} class="table" label={`${name}, in words`}>
        <table>
          <caption>{name}</caption>
          <thead>
            <tr>
              <th scope="col">ms from the kill</th>
              <th scope="col">what happened</th>
            </tr>
          </thead>
          <tbody>
            {happenings(scene, scene[id]).map(({ from, to, what }, index) => (
              <tr key={index}>
                <td>{span(from, to)}</td>
                <td>{what}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    ))}
  </details>
)
