/**
 * Indents a compact JSON text by two spaces, as JSON.stringify does. Nothing is parsed, so numbers keep every digit. `depth`: in how many
 * objects and lists it stands.
 */
export function indentJson(json: string, depth = 0): string {
  const out: string[] = []
  let from = 0
  for (let at = 0; at < json.length; at++) {
    const char = json[at] as string
    if (char === '"') {
      at = endOfString(json, at)
    } else if (char === '{' || char === '[') {
      if (json[at + 1] === '}' || json[at + 1] === ']') {
        at++
        continue
      }
      depth++
      out.push(json.slice(from, at + 1), newline(depth))
      from = at + 1
    } else if (char === '}' || char === ']') {
      depth--
      out.push(json.slice(from, at), newline(depth))
      from = at
    } else if (char === ',') {
      out.push(json.slice(from, at + 1), newline(depth))
      from = at + 1
    } else if (char === ':') {
      out.push(json.slice(from, at + 1), ' ')
      from = at + 1
    }
  }
  out.push(json.slice(from))
  return out.join('')
}

/** A line break with two spaces for each level. */
export function newline(depth: number): string {
  return `\n${'  '.repeat(depth)}`
}

/** The index of the closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  let at = start + 1
  while (json[at] !== '"' && at < json.length) at += json[at] === '\\' ? 2 : 1
  return at
}
