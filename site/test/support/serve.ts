import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { build, preview } from "vite"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  export interface ProvidedContext {
    /** Where the site is served, with a slash at its end. */
    readonly address: string
    /** Where its files are. */
    readonly folder: string
  }
}

const root = resolve(import.meta.dirname, "../..")

/** Builds the site once for all tests and serves it, under a path that the build knows nothing of. */
export default async ({ provide }: TestProject) => {
  const outDir = mkdtempSync(join(tmpdir(), "echomq-site-"))
  const configFile = join(root, "vite.config.ts")
  await build({ root, configFile, build: { outDir, emptyOutDir: true }, logLevel: "warn" })
  const server = await preview({
    root,
    configFile,
    base: "/any/path/",
    build: { outDir },
    preview: { port: 0, strictPort: true },
    logLevel: "warn"
  })
  const [address] = server.resolvedUrls?.local ?? []
  if (address === undefined) throw new Error("the site is not served")
  provide("address", address)
  provide("folder", outDir)
  return async () => {
    await server.close()
    rmSync(outDir, { recursive: true, force: true })
  }
}
