/** Generates the API reference from the doc comments, into docs/api. Anything that it warns of is a failure. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { reference } from "./reference.ts"
import { conclude, root } from "./repository.ts"

const out = join(root, "docs/api")
rmSync(out, { recursive: true, force: true })

const { modules, problems } = await reference((app, project) => app.generateDocs(project, out))
conclude(problems, `docs/api has ${modules.join(", ")}`)
