/** Deep equality of JSON values. An absent property equals one that is undefined; the order of properties does not count. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => deepEqual(item, b[index]))
    )
  }
  return sameFields(a as Fields, b as Fields)
}

type Fields = Readonly<Record<string, unknown>>

function sameFields(a: Fields, b: Fields): boolean {
  const present = Object.keys(a).filter((key) => a[key] !== undefined)
  const others = Object.keys(b).filter((key) => b[key] !== undefined)
  return (
    present.length === others.length &&
    present.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]))
  )
}
