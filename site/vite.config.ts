import { defineConfig } from "vite"
import { documentation } from "./build/documentation.ts"

export default defineConfig({
  root: import.meta.dirname,
  // Every address is relative, so that the folder can be served under any path.
  base: "./",
  // What is not there is not found, and no first page in its place.
  appType: "mpa",
  plugins: [documentation()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2024",
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: true,
    rolldownOptions: { checks: { pluginTimings: false } }
  },
  preview: { host: "127.0.0.1" }
})
