/** JSON values one behind the other, as programs write them for each other: YAML has no such text, and clients of servers take it. */
import type { TextPiece } from './yaml-reader.ts'

/** The values of a text that begins with one of JSON; the whole text where there is one value, or what follows is something else. */
export function jsonPieces(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = []
  let start = 0
  while (beginsObject(text, start)) {
    const end = endOfObject(text, start)
    const isLast = !beginsObject(text, end)
    if (isLast || !isJson(text.slice(start, end))) break
    // Line ends behind a value belong to its piece, so that every line is counted once.
    const next = text.indexOf('{', end)
    pieces.push({ start, text: text.slice(start, next) })
    start = next
  }
  return [...pieces, { start, text: text.slice(start) }]
}

function beginsObject(text: string, at: number): boolean {
  const pattern = /[ \t\r\n]*\{/y
  pattern.lastIndex = at
  return pattern.test(text)
}

/** Behind the bracket that closes the first one; the end of the text if none does. */
function endOfObject(text: string, start: number): number {
  const token = /"(?:[^"\\]|\\.)*"|[{}]/gs
  token.lastIndex = start
  let depth = 0
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === '{') depth++
    else if (found[0] === '}' && --depth === 0) return token.lastIndex
  }
  return text.length
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
