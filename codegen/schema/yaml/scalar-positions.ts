/**
 * The position of a character of a decoded text in its document. However a scalar is written (plain, quoted, folded
 * over several lines), its characters other than white space come in the same order in the source: they are counted.
 */

/** One decoded character of a scalar's source: its offset, and whether it is white space. */
interface Unit {
  readonly at: number
  readonly blank: boolean
}

/** The offset, in the source of a scalar, of the character at `offset` of its text. */
export function offsetInSource(source: string, text: string, offset: number): number {
  const atEnd = text.slice(offset).trim() === ''
  let left = text.slice(0, offset).replace(/\s/g, '').length - (atEnd ? 1 : 0)
  for (const { at, blank } of unitsOf(source)) {
    if (blank || left-- > 0) continue
    return atEnd ? at + 1 : at
  }
  return 0
}

/** The offset in a text as written that corresponds to `offset` in the text with the platform's names filled in. */
export function beforeSubstitution(
  written: string,
  offset: number,
  substitute: (part: string) => string,
): number {
  let gained = 0
  for (const { 0: name, index } of written.matchAll(/\$\{[^{}]*\}/g)) {
    const length = substitute(name).length
    if (index + gained >= offset) break
    if (index + gained + length > offset) return index
    gained += length - name.length
  }
  return offset - gained
}

/** The decoded characters of a scalar's source, without its quotes or its block header. */
function* unitsOf(source: string): Generator<Unit> {
  const quote = source[0]
  const quoted = quote === '"' || quote === "'"
  const end = quoted ? source.length - 1 : source.length
  let at = quoted ? 1 : bodyStart(source)
  while (at < end) {
    const length = quoted ? lengthAt(source, at, quote) : 1
    const escaped = length > 1 && quote === '"'
    const blank = escaped ? blankEscapes.test(source[at + 1] ?? '') : /\s/.test(source[at] ?? '')
    yield { at, blank }
    at += length
  }
}

/** Where the text of a scalar without quotes begins: that of a block (`|`, `>`) after its header line. */
function bodyStart(source: string): number {
  return /^[|>][-+0-9]*[ \t]*(?:#[^\n]*)?\r?\n/.exec(source)?.[0].length ?? 0
}

/** Escapes of a double-quoted text that stand for white space, line ends included. */
const blankEscapes = /[ntrvf \t\r\n_LP]/
/** Lengths of the escapes that carry a code. */
const longEscapes: Readonly<Record<string, number | undefined>> = { x: 4, u: 6, U: 10 }

/** The length of the character at an offset: escapes and doubled quotes are one character. */
function lengthAt(source: string, at: number, quote: string): number {
  const [char, next = ''] = [source[at], source[at + 1]]
  if (quote === "'") return char === "'" ? 2 : 1
  return char === '\\' ? (longEscapes[next] ?? 2) : 1
}
