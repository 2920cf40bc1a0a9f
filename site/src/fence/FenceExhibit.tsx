import { Exhibit } from "../page/Exhibit.tsx"

export const FenceExhibit = () => (
  <Exhibit id="fence" title="Fence" lead="">
    <p />
  </Exhibit>
)
