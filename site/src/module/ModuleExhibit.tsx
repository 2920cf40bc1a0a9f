import { Exhibit } from "../page/Exhibit.tsx"

export const ModuleExhibit = () => (
  <Exhibit id="module" title="Module" lead="">
    <p />
  </Exhibit>
)
