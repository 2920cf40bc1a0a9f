import { Key, VERSION_KEY } from "@echomq/keyspace"

const RESERVE_SLOT = Key.slot(VERSION_KEY)

const left = (slot: number): string => `${(slot / (Key.SLOTS - 1)) * 100}%`

/** All slots of a cluster as one line, with this key's and the reserve's on it. */
export const Slots = ({ slot }: { readonly slot: number }) => (
  <figure class="slots">
    <div
      class="scale"
      role="img"
      aria-label={`Slot ${slot} on a line from 0 to ${Key.SLOTS - 1}; the reserve's slot is ${RESERVE_SLOT}`}
    >
      <span class="reserve-slot" style={{ left: left(RESERVE_SLOT) }} />
      <span class="key-slot" style={{ left: left(slot) }} />
    </div>
    <figcaption>
      <span>0</span>
      <span class="legend">
        <span>
          <span class="key-swatch" aria-hidden="true" /> this key
        </span>
        <span>
          <span class="reserve-swatch" aria-hidden="true" /> the reserve
        </span>
      </span>
      <span>{Key.SLOTS - 1}</span>
    </figcaption>
  </figure>
)
