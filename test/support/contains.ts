/** The places where `got` does not contain what was given; lists have to be of the same length. */
export function missingFrom(given: unknown, got: unknown, path = ''): readonly string[] {
  if (Array.isArray(given)) {
    const items = Array.isArray(got) ? (got as readonly unknown[]) : []
    if (items.length !== given.length) return [path]
    return given.flatMap((item, index) => missingFrom(item, items[index], `${path}[${index}]`))
  }
  if (typeof given === 'object' && given !== null) {
    const fields = (typeof got === 'object' && got !== null ? got : {}) as Record<string, unknown>
    return Object.entries(given).flatMap(([key, value]) =>
      missingFrom(value, fields[key], path === '' ? key : `${path}.${key}`),
    )
  }
  return given === got ? [] : [path]
}
