import { accessSync, constants } from "node:fs"
import { delimiter, join, resolve } from "node:path"

/** The checkout. */
export const root = resolve(import.meta.dirname, "../..")

/** The path of a program on PATH, or undefined. */
export const onPath = (name) =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .filter((directory) => directory !== "")
    .map((directory) => join(directory, name))
    .find(isExecutable)

const isExecutable = (path) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
