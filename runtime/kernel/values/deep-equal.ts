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
  let more = 0
  for (const key of Object.keys(a)) {
    const value = a[key]
    if (value === undefined) continue
    if (!Object.hasOwn(b, key) || !deepEqual(value, b[key])) return false
    more++
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) more--
  return more === 0
}
