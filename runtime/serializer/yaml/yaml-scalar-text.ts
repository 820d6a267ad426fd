/** How a text is written as a YAML scalar: plain, quoted or as a block, as the printers of the public servers choose. */
import { plainScalar } from './yaml-scalar.ts'

/** Columns. A line that is longer is folded at its next space. */
const bestWidth = 80

/** Where a scalar stands. */
export interface ScalarPlace {
  /** Columns of its further lines. */
  readonly indent: number
  /** The column at which it begins, the space before it included. */
  readonly column: number
  /** A key on the line of its value: neither folded nor a block. */
  readonly key?: boolean
}

/** Characters that YAML has no visible form of, or that would end a line: they are escaped. */
const special = /[^\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/
const indicator = /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?: |\n|$)|---|\.\.\.)|:(?: |\n|$)|[ \n]#/
const timestamp =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:\d\d)?)?$/
const sexagesimal = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/

/** The scalar, behind the space or break that the caller has written. A block has no line break at its end. */
export function scalarText(value: string, place: ScalarPlace): string {
  const lines = value.includes('\n')
  if (special.test(value)) return doubleQuoted(value, place)
  if (lines) {
    const block = !place.key && !/ (?:\n|$)/.test(value)
    return block ? literal(value, place.indent) : doubleQuoted(value, place)
  }
  if (isMeaningful(value)) return doubleQuoted(value, place)
  const plain = !/^ | $/.test(value) && !indicator.test(value)
  return plain ? folded(value, place) : `'${folded(value.replaceAll("'", "''"), place, 1)}'`
}

/** True for a text that means something else when it is written plainly: a number, a time, `yes`. */
function isMeaningful(value: string): boolean {
  const first = value.charCodeAt(0)
  const plain = value === '' || (first >= 0x2b && first <= 0x39) || /^[yYnNtTfFoO~]/.test(value)
  if (!plain) return false
  if (plainScalar(value) !== value) return true
  return sexagesimal.test(value) || isTimestamp(value)
}

function isTimestamp(value: string): boolean {
  const parts = timestamp.exec(value)
  if (parts === null) return false
  const [year, month, day, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number)
  const date = new Date(0)
  date.setUTCFullYear(year!, month! - 1, day)
  const known = date.getUTCMonth() === month! - 1 && date.getUTCDate() === day
  return known && (hour || 0) < 24 && (minute || 0) < 60 && (second || 0) < 60
}

/** Breaks a line behind the best width, at a single space that is neither the first nor the last character. */
function folded(value: string, { indent, column, key }: ScalarPlace, quote = 0): string {
  if (key || column + value.length <= bestWidth) return value
  let [out, at, from] = ['', column + quote, 0]
  for (let index = 0; index < value.length; index++) {
    const single = value[index] === ' ' && value[index - 1] !== ' ' && value[index + 1] !== ' '
    if (single && at > bestWidth && index > 0 && index < value.length - 1) {
      out += `${value.slice(from, index)}\n${' '.repeat(indent)}`
      from = index + 1
      at = indent
    } else at++
  }
  return out + value.slice(from)
}

/** A block that keeps its lines. Its head says how far it is indented if its first line does not, and how it ends. */
function literal(value: string, indent: number): string {
  const hint = /^[ \n]/.test(value) ? '2' : ''
  const ends = /(?:^|\n)\n$/.test(value) ? '+' : value.endsWith('\n') ? '' : '-'
  const body = value.endsWith('\n') ? value.slice(0, -1) : value
  const margin = ' '.repeat(indent)
  const lines = body.split('\n').map((line) => (line === '' ? '' : margin + line))
  return `|${hint}${ends}\n${lines.join('\n')}`
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\0', '\\0'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\x1b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x85', '\\N'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
])

function doubleQuoted(value: string, { indent, column, key }: ScalarPlace): string {
  const chars = [...value]
  let [out, at, spaces] = ['', column + 1, false]
  for (const [index, char] of chars.entries()) {
    if (char === ' ') {
      const fold = !key && !spaces && at > bestWidth && index > 0 && index < chars.length - 1
      if (fold) {
        const keep = chars[index + 1] === ' ' ? '\\' : ''
        out += `\n${' '.repeat(indent)}${keep}`
        at = indent + keep.length
      } else {
        out += char
        at++
      }
      spaces = true
      continue
    }
    const text = escapes.get(char) ?? (special.test(char) ? hexEscape(char) : char)
    out += text
    at += text === char ? 1 : text.length
    spaces = false
  }
  return `"${out}"`
}

function hexEscape(char: string): string {
  const code = char.codePointAt(0) ?? 0
  const hex = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}
