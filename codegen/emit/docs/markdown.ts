/** The few forms of Markdown that reference pages consist of. */

/**
 * A text in a cell or a line, with Markdown's own characters escaped.
 * Line breaks become blanks: a cell is one line.
 */
export function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\|<>*_[\]]/g, (mark) => `\\${mark}`)
}

/**
 * A text as inline code.
 * A text with a backtick in it has a fence of two. The bar has to be escaped even in code, or it
 * would end the cell.
 */
export function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`'
  return `${fence}${text.replaceAll('|', '\\|')}${fence}`
}

/**
 * A table with one line for each row; nothing for no rows.
 * The last line is empty, so that whatever follows is no part of the table.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  if (rows.length === 0) return []
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line), '']
}
