import { Exhibit } from "../page/Exhibit.tsx"

export const RaceExhibit = () => (
  <Exhibit id="race" title="Race" lead="">
    <p />
  </Exhibit>
)
