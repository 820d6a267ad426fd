/** The value at a dotted path of own properties such as `spec.nodeName`; undefined if a step is missing. */
export function valueAtPath(value: unknown, path: string): unknown {
  let at = value
  for (const step of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Readonly<Record<string, unknown>>)[step]
  }
  return at
}
