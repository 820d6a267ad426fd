/** JSON text for short diffs: an object stands on one line where it fits, otherwise each property does. */

/**
 * The longest line.
 * In characters; the generated documents are not laid out by the formatter.
 */
const width = 120

/**
 * The value as JSON that begins at column `column` of a line indented by `indent` spaces.
 * One blank of indentation a level: documents are deep, and most of their lines would be blanks.
 */
export function json(value: unknown, indent = 0, column = indent): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const flat = flatWithin(value, width - column)
  if (flat !== undefined) return flat
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

/**
 * The value on one line, if that is no longer than `room`; given up as soon as it is too long.
 * The recursion stops at the first part that does not fit, so a large value costs no more than a
 * line.
 */
function flatWithin(value: unknown, room: number): string | undefined {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value) ?? 'null'
    return text.length <= room ? text : undefined
  }
  const list = Array.isArray(value)
  let text = list ? '[' : '{'
  for (const [key, part] of Object.entries(value)) {
    if (part === undefined && !list) continue
    const head = `${text.length > 1 ? ',' : ''}${list ? '' : `${JSON.stringify(key)}:`}`
    const rest = flatWithin(part, room - text.length - head.length - 1)
    if (rest === undefined) return undefined
    text += head + rest
  }
  text += list ? ']' : '}'
  return text.length <= room ? text : undefined
}
