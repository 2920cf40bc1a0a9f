import { Exhibit } from "../page/Exhibit.tsx"

export const ReserveExhibit = () => (
  <Exhibit id="reserve" title="Reserve" lead="">
    <p />
  </Exhibit>
)
