/** JSON text whose objects stand on one line where they fit: one property, one line, for short diffs. */
const width = 120

export function json(value: unknown, indent = 0, column = indent): string {
  const flat = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || column + flat.length <= width) return flat
  const inner = ' '.repeat(indent + 1)
  const lines = Array.isArray(value)
    ? value.map((item) => inner + json(item, indent + 1))
    : Object.entries(value)
        .filter(([, part]) => part !== undefined)
        .map(([key, part]) => {
          const head = `${inner}${JSON.stringify(key)}: `
          return head + json(part, indent + 1, head.length)
        })
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${lines.join(',\n')}\n${' '.repeat(indent)}${close}`
}
