/** Positions in a source, and errors as text. */
import { spendSteps } from '../limits/step-limit.ts'

/** A position as texts show it: `line` from 1, `column` in code points from 0. */
export interface LineColumn {
  readonly line: number
  readonly column: number
}

/** Something wrong at a range of a source, in UTF-16 units. */
export interface CompileError {
  readonly message: string
  readonly start: number
  readonly end: number
  /** The names that could stand there, where an unknown one does. */
  readonly names?: readonly string[]
}

/** The line and column of an offset. */
export function lineColumnOf(source: string, offset: number): LineColumn {
  let line = 1
  let from = 0
  for (let next = source.indexOf('\n'); next >= 0 && next < offset; ) {
    line++
    from = next + 1
    next = source.indexOf('\n', from)
  }
  return { line, column: codePoints(source.slice(from, offset)) }
}

/** Characters of text with source lines: beyond that, errors are shown without theirs. */
const maxShown = 256 * 1024

/**
 * The text of errors as clients know it: one line each, and the source line with a caret under the position. `further`:
 * how many more there are.
 */
export function printCompileErrors(
  source: string,
  mistakes: readonly CompileError[],
  further: number,
): string {
  let room = maxShown
  const texts = mistakes.map((mistake) => {
    const text = printed(source, mistake, room > 0)
    room -= text.length
    return text
  })
  if (further > 0) texts.push(`${further} more errors were truncated`)
  return texts.join('\n')
}

function printed(source: string, { message, start }: CompileError, withLine: boolean): string {
  const { line, column } = lineColumnOf(source, start)
  const said = `ERROR: <input>:${line}:${column + 1}: ${message}`
  return withLine ? `${said}\n${lineWithCaret(source, start, column)}` : said
}

function lineWithCaret(source: string, start: number, column: number): string {
  const from = start === 0 ? 0 : source.lastIndexOf('\n', start - 1) + 1
  const end = source.indexOf('\n', start)
  const text = source.slice(from, end < 0 ? undefined : end).replaceAll('\t', ' ')
  const before = [...text].slice(0, column)
  const dots = before.map((char) => (isWide(char) ? '\uff0e' : '.')).join('')
  const under = [...text][column]
  const caret = under !== undefined && isWide(under) ? '\uff3e' : '^'
  return ` | ${text}\n | ${dots}${caret}`
}

/** Characters of more than one byte are shown over a wide dot, so that the caret stays under its position. */
function isWide(char: string): boolean {
  return (char.codePointAt(0) ?? 0) > 0x7f
}

const surrogate = /[\ud800-\udbff]/

/** The number of code points of a string; a lone surrogate counts as one. */
export function codePoints(text: string): number {
  const { length } = text
  if (length > 32) {
    spendSteps(length >> 5)
    if (!surrogate.test(text)) return length
    spendSteps(length >> 3)
  }
  let count = length
  for (let index = 0; index < length - 1; index++) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xd800) continue
    if ((text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      count--
      index++
    }
  }
  return count
}
