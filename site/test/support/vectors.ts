import { readFileSync } from "node:fs"

/** The rows of a file of conformance data. */
export const rowsOf = <Row>(name: string): ReadonlyArray<Row> =>
  JSON.parse(readFileSync(new URL(`../../../vectors/${name}.json`, import.meta.url), "utf8"))
