import { FenceExhibit } from "../fence/FenceExhibit.tsx"
import { ModuleExhibit } from "../module/ModuleExhibit.tsx"
import { RaceExhibit } from "../race/RaceExhibit.tsx"
import { ReconnectExhibit } from "../reconnect/ReconnectExhibit.tsx"
import { ReserveExhibit } from "../reserve/ReserveExhibit.tsx"

const exhibits = [
  { id: "fence", name: "The fence" },
  { id: "race", name: "The race" },
  { id: "module", name: "The module" },
  { id: "reserve", name: "The reserve map" },
  { id: "reconnect", name: "Reconnect" }
] as const

/** Everything between the header and the footer, which the build puts around it as around each page. */
export const Page = () => (
  <main id="content" class="exhibits">
    <header class="lead">
      <h1>See the fence work</h1>
      <p>
        Two versions of a queue's client against one server corrupt each other's rows. EchoMQ keeps one key on
        each node, <code>{"{emq}:version"}</code>, that says which wire the node holds, and{" "}
        <strong>nothing is ever written to a node that does not match</strong>. What runs on this page are the
        step machines that the connectors themselves play.
      </p>
      <nav aria-label="On this page">
        <ul class="chips">
          {exhibits.map(({ id, name }) => (
            <li key={id}>
              <a href={`#${id}`}>{name}</a>
            </li>
          ))}
        </ul>
      </nav>
    </header>
    <FenceExhibit />
    <RaceExhibit />
    <ModuleExhibit />
    <ReserveExhibit />
    <ReconnectExhibit />
  </main>
)
