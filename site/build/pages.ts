/** The pages of documentation in the order in which they are listed, by their files in the repository. */
export const groups: ReadonlyArray<{
  readonly name: string
  readonly pages: ReadonlyArray<{ readonly path: string; readonly name: string }>
}> = [
  {
    name: "Documentation",
    pages: [
      { path: "docs/fence.md", name: "The fence in one page" },
      { path: "docs/getting-started.md", name: "Getting started" },
      { path: "docs/errors.md", name: "Errors" },
      { path: "docs/operating.md", name: "Operating it" },
      { path: "docs/driver.md", name: "The driver's traps" },
      { path: "docs/performance.md", name: "Performance" },
      { path: "docs/performance-results.md", name: "Benchmark results" }
    ]
  },
  {
    name: "Packages",
    pages: [
      { path: "packages/keyspace/README.md", name: "keyspace" },
      { path: "packages/connector-wire4/README.md", name: "connector-wire4" },
      { path: "packages/connector-wire6/README.md", name: "connector-wire6" },
      { path: "native/trafikey/README.md", name: "trafikey, the module" }
    ]
  },
  {
    name: "Repository",
    pages: [
      { path: "README.md", name: "Read me" },
      { path: "CONTRIBUTING.md", name: "Working on it" },
      { path: "torture/README.md", name: "Torture" }
    ]
  }
]
