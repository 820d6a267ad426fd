import type { ValueLocation } from './located-value.ts'

/** One thing wrong with a configuration, where it stands. */
export interface ConfigFinding {
  readonly place: ValueLocation
  /** The field first, then what is wrong: `maxPods: must be an int32, not a string`. */
  readonly message: string
}

/** By place, each once. Findings of a text come in the order of the text. */
export function sortedFindings(findings: readonly ConfigFinding[]): readonly ConfigFinding[] {
  const seen = new Map(findings.map((each) => [`${each.place.text}\0${each.message}`, each]))
  return [...seen.values()].sort((a, b) => {
    const [left, right] = [a.place.spot, b.place.spot]
    if (left === undefined || right === undefined) {
      return Number(right !== undefined) - Number(left !== undefined)
    }
    const files = left.file < right.file ? -1 : left.file > right.file ? 1 : 0
    return files || left.line - right.line || left.column - right.column
  })
}

/** A text that findings are about, under the name that they show. */
export interface SourceText {
  readonly name: string
  readonly text: string | Uint8Array
}

/** How much of a line is shown around the place that is wrong. */
const frameWidth = 120

/** Each as `place: message`, the message alone where the place has no name, and for a place in a text that is at hand its line with a caret under the column. */
export function formatFindings(
  findings: readonly ConfigFinding[],
  texts: readonly SourceText[],
): readonly string[] {
  const lines = new Map<string, readonly string[]>()
  const linesOf = (file: string): readonly string[] => {
    const known = lines.get(file)
    if (known !== undefined) return known
    const found = texts.find(({ name }) => name === file)
    const split = found === undefined ? [] : textOf(found).split('\n')
    lines.set(file, split)
    return split
  }
  return findings.map(({ place: { spot, text }, message }) => {
    const line = spot && linesOf(spot.file)[spot.line - 1]
    const head = text === '' ? message : `${text}: ${message}`
    return line === undefined ? head : `${head}\n${frame(line, spot!)}`
  })
}

/** A text without the byte order mark, which counts for no column. */
function textOf({ text }: SourceText): string {
  return (typeof text === 'string' ? text : Buffer.from(text).toString()).replace(/^\uFEFF/, '')
}

/** The line with a caret; of a long one the part around the column. */
function frame(whole: string, spot: { readonly line: number; readonly column: number }): string {
  const line = whole.trimEnd()
  const number = String(spot.line)
  const from = line.length <= frameWidth ? 0 : Math.max(0, spot.column - 1 - frameWidth / 2)
  const part = line.slice(from, from + frameWidth)
  const [before, after] = [from > 0 ? '...' : '', from + frameWidth < line.length ? '...' : '']
  const caret = ' '.repeat(Math.max(0, spot.column - 1 - from) + before.length)
  const bar = ' '.repeat(number.length)
  return `  ${number} | ${before}${part}${after}\n  ${bar} | ${caret}^`
}
