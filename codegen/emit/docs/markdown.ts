/** The few forms of Markdown that reference pages consist of. */

/** A text in a cell or a line, with Markdown's own characters escaped. */
export function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\|<>*_[\]]/g, (mark) => `\\${mark}`)
}

/** A text as inline code. */
export function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`'
  return `${fence}${text.replaceAll('|', '\\|')}${fence}`
}

/** A table with one line for each row; nothing for no rows. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  if (rows.length === 0) return []
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line), '']
}
