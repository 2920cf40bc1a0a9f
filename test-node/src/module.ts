import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** Builds of the module that a fleet meets while it is upgraded. */
export type Variant = "major" | "token-short" | "wire"

/**
 * Where the set-up has put the module: as shipped, or a variant of it. Throws where it is not
 * built, since nothing that needs it can go on.
 */
export const modulePath = (variant?: Variant): string => {
  const name = variant === undefined ? "trafikey" : `variant-${variant}`
  const path = fileURLToPath(new URL(`../../native/trafikey/target/echomq/${name}.so`, import.meta.url))
  if (existsSync(path)) return path
  throw new Error(`${path} is missing: run "npm run setup", which builds it`)
}
