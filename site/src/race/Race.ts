import type { LaneId } from "../fence/Lane.ts"
import { absent, type Choice, storedBy } from "../node/Choice.ts"
import { type Party, shuffled, type Table, table, turn } from "./Table.ts"

export interface Race {
  readonly choice: Choice
  /** Who would be at each of the five places; the first `size` of them take part. */
  readonly places: ReadonlyArray<LaneId>
  readonly size: number
  readonly table: Table
  readonly seed: number
  /** Whether the table is what the seed gives. */
  readonly played: boolean
}

type Setting = Omit<Race, "table" | "played">

const begin = (setting: Setting): Race => ({
  ...setting,
  table: table(storedBy(setting.choice), setting.places.slice(0, setting.size)),
  played: false
})

export const sizes = [2, 3, 4, 5] as const

export const first = begin({
  choice: absent,
  places: ["wire4", "wire4", "install", "wire6", "verb"],
  size: 3,
  seed: 1
})

export type Action =
  | { readonly _tag: "Set"; readonly setting: Partial<Pick<Race, "choice" | "places" | "size">> }
  | { readonly _tag: "Turn"; readonly party: Party }
  | { readonly _tag: "Seed"; readonly seed: number }
  | { readonly _tag: "Shuffle" }
  | { readonly _tag: "Reset" }

export const act = (race: Race, action: Action): Race => {
  switch (action._tag) {
    case "Set":
      return begin({ ...race, ...action.setting })
    case "Turn":
      return { ...race, table: turn(race.table, action.party), played: false }
    case "Seed":
      return { ...race, seed: action.seed, played: false }
    case "Shuffle": {
      // To shuffle again is to ask for another order.
      const start = begin(race.played ? { ...race, seed: race.seed + 1 } : race)
      return { ...start, table: shuffled(start.table, start.seed), played: true }
    }
    case "Reset":
      return begin(race)
  }
}
