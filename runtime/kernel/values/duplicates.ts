/** For each item, whether an equal one stands before it: one look at each, however many they are. */
export function flagDuplicates(items: readonly unknown[]): readonly boolean[] {
  const seen = new Set<unknown>()
  return items.map((item) => {
    const before = seen.size
    return seen.add(item).size === before
  })
}
