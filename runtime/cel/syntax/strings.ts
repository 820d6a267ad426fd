/** String and bytes literals: prefixes, triple quotes, escapes. */

/** The value of a literal and the offset after it; or, without `end`, what is wrong and where. */
export type StringLiteral =
  | { readonly end: number; readonly value: string | Uint8Array }
  | { readonly end: undefined; readonly problem: string; readonly at: number }

/** Reads a literal whose prefix begins at `start` and whose opening quote is at `open`. */
export function stringLiteral(source: string, start: number, open: number): StringLiteral {
  const prefix = source.slice(start, open).toLowerCase()
  const quote = source[open] ?? ''
  const triple = source.startsWith(quote.repeat(3), open)
  const close = quote.repeat(triple ? 3 : 1)
  const raw = prefix.includes('r')
  const from = open + close.length
  const to = closing(source, from, close, raw)
  if (to === undefined) {
    const text = source.slice(start).split('\n', 1)[0] ?? ''
    return { end: undefined, problem: `token recognition error at: '${text}'`, at: start }
  }
  const body = source.slice(from, to)
  const end = to + close.length
  if (prefix.includes('b')) return bytesValue(body, raw, from, end)
  const value = raw ? body : unescaped(body)
  if (typeof value === 'string') return { end, value }
  return { end: undefined, problem: 'invalid escape sequence', at: from + value }
}

/** The offset of the closing quotes; undefined if the literal does not end. */
function closing(source: string, from: number, close: string, raw: boolean): number | undefined {
  for (let at = from; at < source.length; at++) {
    const char = source[at]
    if (char === '\\' && !raw) at++
    else if (close.length === 1 && (char === '\n' || char === '\r')) return undefined
    else if (source.startsWith(close, at)) return at
  }
  return undefined
}

const simple: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ['?', '?'],
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
])

const coded = /^(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/

/** An escape sequence after its backslash. */
interface Escape {
  readonly length: number
  readonly code: number
  /** Written as a byte (`\x`, octal), not as a code point (`\u`, `\U`). */
  readonly byte: boolean
}

function escapeAt(body: string, at: number): Escape | undefined {
  const plain = simple.get(body[at] ?? '')
  if (plain !== undefined) return { length: 1, code: plain.charCodeAt(0), byte: true }
  const match = coded.exec(body.slice(at, at + 9))
  if (match === null) return undefined
  const [text, hex, short, long, octal] = match
  const code =
    octal === undefined
      ? Number.parseInt(hex ?? short ?? long ?? '', 16)
      : Number.parseInt(octal, 8)
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined
  return { length: text.length, code, byte: hex !== undefined || octal !== undefined }
}

/** The text with its escapes resolved, or the offset of an invalid one. */
function unescaped(body: string): string | number {
  let text = ''
  let from = 0
  for (let at = body.indexOf('\\'); at >= 0; at = body.indexOf('\\', from)) {
    const found = escapeAt(body, at + 1)
    if (found === undefined) return at
    text += body.slice(from, at) + String.fromCodePoint(found.code)
    from = at + 1 + found.length
  }
  return text + body.slice(from)
}

function bytesValue(body: string, raw: boolean, start: number, end: number): StringLiteral {
  const chunks: Buffer[] = []
  let from = 0
  for (let at = raw ? -1 : body.indexOf('\\'); at >= 0; at = body.indexOf('\\', from)) {
    const found = escapeAt(body, at + 1)
    if (found === undefined || !found.byte) {
      return { end: undefined, problem: 'invalid escape sequence', at: start + at }
    }
    chunks.push(Buffer.from(body.slice(from, at)), Buffer.from([found.code]))
    from = at + 1 + found.length
  }
  chunks.push(Buffer.from(body.slice(from)))
  return { end, value: new Uint8Array(Buffer.concat(chunks)) }
}
