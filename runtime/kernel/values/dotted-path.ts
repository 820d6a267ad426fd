/** The value at a dotted path of own properties such as `spec.nodeName`; undefined if a step is missing. */
export function valueAtPath(value: unknown, path: string): unknown {
  return valueAtSteps(value, path.split('.'))
}

/** The value behind the names of own properties, one in the other; undefined if one is missing. */
export function valueAtSteps(value: unknown, steps: readonly string[]): unknown {
  let at = value
  for (const step of steps) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Readonly<Record<string, unknown>>)[step]
  }
  return at
}
