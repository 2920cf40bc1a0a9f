import { Key, printable } from "@echomq/keyspace"
import { partsOf } from "./Parts.ts"
import { Slots } from "./Slots.tsx"

const spaces = {
  reserve: "the reserve, {emq}:",
  queue: "a queue's space, emq:{q}:",
  foreign: "none: a foreign key"
} as const

const shown = (part: string | Uint8Array | null) =>
  part === null ? "none" : <code class="exact">{printable(part)}</code>

/** Where a key lives, and why. */
export const Place = ({ bytes }: { readonly bytes: Uint8Array }) => {
  const { hashtag, queue, slot, space, suffix, why } = Key.locate(bytes)
  return (
    <section class="panel" aria-label="Where the key lives" aria-live="polite">
      <p class="key">
        {partsOf(bytes).map(({ bytes, hashed }, at) =>
          hashed ? <mark key={at}>{printable(bytes)}</mark> : <span key={at}>{printable(bytes)}</span>
        )}
      </p>
      <Slots slot={slot} />
      <dl class="results">
        <dt>Space</dt>
        <dd>{spaces[space]}</dd>
        <dt>Queue</dt>
        <dd>{shown(queue)}</dd>
        <dt>Suffix</dt>
        <dd>{shown(suffix)}</dd>
        <dt>Hashtag</dt>
        <dd>{shown(hashtag)}</dd>
        <dt>Slot</dt>
        <dd>{slot}</dd>
        <dt>Why</dt>
        <dd>{why}</dd>
      </dl>
    </section>
  )
}
