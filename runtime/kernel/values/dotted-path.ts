/** Reads the value at a dotted path such as `spec.nodeName`; undefined where a step is missing or leads nowhere. */
export function valueAtPath(value: unknown, path: string): unknown {
  let at = value
  for (const step of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Readonly<Record<string, unknown>>)[step]
  }
  return at
}
