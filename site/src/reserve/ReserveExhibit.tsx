import { VERSION_KEY } from "@echomq/keyspace"
import { useState } from "preact/hooks"
import { bytesOf } from "../node/Text.ts"
import { Exhibit } from "../page/Exhibit.tsx"
import { TextField } from "../page/TextField.tsx"
import { Button } from "../player/Button.tsx"
import { Place } from "./Place.tsx"
import "./reserve.css"

const examples = [
  VERSION_KEY,
  "{emq}:registry",
  "emq:{orders}:pending",
  "emq:{orders}:job:JOB0KHTOWnGLuC",
  "emq:{emq}:pending",
  "emq:orders:pending",
  "bull:orders:wait"
]

export const ReserveExhibit = () => {
  const [key, setKey] = useState(VERSION_KEY)
  return (
    <Exhibit
      id="reserve"
      title="The reserve map"
      lead={
        <>
          The version key must never collide with a queue's. It lives in a reserve of its own:{" "}
          <code>{"{emq}:"}</code> and every key of a queue begin with different bytes, even for a queue that
          is named <code>emq</code>. Type a key to see where it lives.
        </>
      }
    >
      <TextField label="Key" value={key} onInput={setKey}>
        <code>\n</code>, <code>\r</code>, <code>\t</code>, <code>\\</code> and <code>\xHH</code> stand for
        bytes. What is marked below decides the slot of a cluster.
      </TextField>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in. */}
      <div class="controls" role="group" aria-label="Keys to try">
        {examples.map((example) => (
          <Button key={example} onPress={() => setKey(example)}>
            <code>{example}</code>
          </Button>
        ))}
      </div>
      <Place bytes={bytesOf(key)} />
    </Exhibit>
  )
}
