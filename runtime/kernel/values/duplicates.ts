/** For each item, whether an identical one comes before it. Takes linear time. */
export function flagDuplicates(items: readonly unknown[]): readonly boolean[] {
  const seen = new Set<unknown>()
  return items.map((item) => {
    const before = seen.size
    return seen.add(item).size === before
  })
}
