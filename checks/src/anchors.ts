/** Makes the anchors of one page's headings, one after the other, as GitHub does. */
export const anchors = (): ((title: string) => string) => {
  const seen = new Map<string, number>()
  return (title) => {
    const anchor = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-")
    const times = seen.get(anchor) ?? 0
    seen.set(anchor, times + 1)
    return times === 0 ? anchor : `${anchor}-${times}`
  }
}
