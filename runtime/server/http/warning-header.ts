const total = 4096
const single = 256

/**
 * Warnings as header values: agent `-`, quotes and backslashes escaped, duplicates once. Beyond 4096 characters in all,
 * each text is cut at 256, and what then still does not fit is left out.
 */
export function warningHeaders(texts: readonly string[]): readonly string[] {
  const once = [...new Set(texts)]
  const long = once.reduce((sum, text) => sum + text.length, 0) > total
  let room = total
  return once
    .map((text) => (long ? text.slice(0, single) : text))
    .filter((text) => {
      room -= text.length
      return room >= 0
    })
    .map((text) => `299 - "${escaped(text)}"`)
}

/** Header values hold visible latin text; what does not belong there is replaced. */
function escaped(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')
}
