import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { install } from "./apt.mjs"
import { Failure } from "./failure.mjs"
import { onPath, root } from "./paths.mjs"
import { run } from "./run.mjs"
import { digest, isStamped, stamp } from "./stamp.mjs"

const crate = join(root, "native/trafikey")
const built = join(crate, "target/echomq")
const stampPath = join(built, "stamp")
const current = () =>
  digest(
    ...["Cargo.toml", "Cargo.lock", "build.rs", "src", "rust-toolchain.toml", ".cargo"].map((name) =>
      join(crate, name)
    ),
    import.meta.filename
  )

/** Cargo's feature by name of the module: the one to ship, and those that a test needs to be refused. */
const modules = {
  trafikey: undefined,
  "variant-major": "variant-major",
  "variant-token-short": "variant-token-short",
  "variant-wire": "variant-wire"
}

/** The native module and its variants, in native/trafikey/target/echomq. */
export const module = {
  isDone: () =>
    !existsSync(join(crate, "Cargo.toml")) ||
    (isStamped(stampPath, current()) &&
      Object.keys(modules).every((name) => existsSync(join(built, `${name}.so`)))),
  run: async () => {
    if (onPath("cargo") === undefined) {
      throw new Failure("The native module needs Rust: cargo is not on PATH. Install it with rustup.")
    }
    if (!hasLibclang()) await install(["libclang-dev"], { note: ", to generate the server's bindings" })
    mkdirSync(built, { recursive: true })
    for (const [name, feature] of Object.entries(modules)) {
      const features = feature === undefined ? [] : ["--features", feature]
      await run(`native module ${name}`, ["cargo", "build", "--release", "--locked", ...features], {
        cwd: crate
      })
      copyFileSync(join(crate, "target/release/libtrafikey.so"), join(built, `${name}.so`))
    }
    stamp(stampPath, current())
  }
}

/** Whether libclang is where the bindings' generator looks for it. */
const hasLibclang = () =>
  process.platform !== "linux" ||
  process.env.LIBCLANG_PATH !== undefined ||
  [...libraryDirectories()].some((directory) =>
    entries(directory).some((name) => /^libclang(-\d+)?\.so/.test(name))
  )

function* libraryDirectories() {
  yield* ["/usr/lib64", "/usr/local/lib", "/usr/lib"]
  for (const name of entries("/usr/lib")) {
    if (/-linux-gnu/.test(name)) yield join("/usr/lib", name)
    if (/^llvm/.test(name)) yield join("/usr/lib", name, "lib")
  }
}

const entries = (directory) => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
