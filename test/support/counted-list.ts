/** A list that counts how often its items are read, so that a test can tell what takes its square. */
export function countedList<T>(items: readonly T[]): {
  readonly list: readonly T[]
  readonly reads: () => number
} {
  let reads = 0
  const list = new Proxy(items, {
    get(target, key) {
      if (typeof key === 'string' && /^\d/.test(key)) reads++
      return Reflect.get(target, key)
    },
  })
  return { list, reads: () => reads }
}
