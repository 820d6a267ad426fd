/**
 * Splits one line of comma-separated values by RFC 4180: a value in double quotes may contain commas, a doubled quote in it
 * stands for one quote. Undefined if a quote is not closed or out of place.
 */
export function parseCsv(line: string): readonly string[] | undefined {
  const values: string[] = []
  let at = 0
  for (;;) {
    const quoted = line[at] === '"'
    const end = quoted ? closingQuote(line, at) : endOfBare(line, at)
    if (end === undefined) return undefined
    values.push(quoted ? line.slice(at + 1, end - 1).replaceAll('""', '"') : line.slice(at, end))
    if (end === line.length) return values
    if (line[end] !== ',') return undefined
    at = end + 1
  }
}

/** The index behind the quote that closes the one at `open`. */
function closingQuote(line: string, open: number): number | undefined {
  for (let at = open + 1; at < line.length; at++) {
    if (line[at] !== '"') continue
    if (line[at + 1] !== '"') return at + 1
    at++
  }
  return undefined
}

/** The index of the comma behind an unquoted value, or of the end; undefined if it has a quote. */
function endOfBare(line: string, from: number): number | undefined {
  const comma = line.indexOf(',', from)
  const end = comma === -1 ? line.length : comma
  return line.slice(from, end).includes('"') ? undefined : end
}
