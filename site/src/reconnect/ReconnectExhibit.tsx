import { Exhibit } from "../page/Exhibit.tsx"

export const ReconnectExhibit = () => (
  <Exhibit id="reconnect" title="Reconnect" lead="">
    <p />
  </Exhibit>
)
