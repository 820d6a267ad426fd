import type { ValueLocation } from './located-value.ts'

/** One mistake in a configuration, with its location. */
export interface ConfigFinding {
  /** Where to mend it. */
  readonly location: ValueLocation
  /** The field, then what is wrong: `maxPods: must be an int32, not a string`. */
  readonly message: string
}

/** Each finding once, sorted by file, line and column; those without a position come first. */
export function sortedFindings(findings: readonly ConfigFinding[]): readonly ConfigFinding[] {
  const seen = new Map(findings.map((each) => [`${each.location.text}\0${each.message}`, each]))
  return [...seen.values()].sort((a, b) => {
    const [left, right] = [a.location.position, b.location.position]
    if (left === undefined || right === undefined) {
      return Number(right !== undefined) - Number(left !== undefined)
    }
    const files = left.file < right.file ? -1 : left.file > right.file ? 1 : 0
    return files || left.line - right.line || left.column - right.column
  })
}

/** A text that findings are about, by the name in their locations. */
export interface SourceText {
  /** As the `file` of a position names it. */
  readonly name: string
  readonly text: string | Uint8Array
}

/** How many characters of a long line are shown. */
const frameWidth = 120

/**
 * Each finding as `location: message`. If the text of the location is among `texts`, its line follows with a caret under the
 * column.
 */
export function formatFindings(
  findings: readonly ConfigFinding[],
  texts: readonly SourceText[],
): readonly string[] {
  const lines = new Map<string, readonly string[]>()
  /** Lines of a text, split once for all its findings. */
  const linesOf = (file: string): readonly string[] => {
    const known = lines.get(file)
    if (known !== undefined) return known
    const found = texts.find(({ name }) => name === file)
    const split = found === undefined ? [] : plainText(found).split('\n')
    lines.set(file, split)
    return split
  }
  return findings.map(({ location: { position, text }, message }) => {
    const line = position && linesOf(position.file)[position.line - 1]
    const head = text === '' ? message : `${text}: ${message}`
    return line === undefined ? head : `${head}\n${frame(line, position!)}`
  })
}

/** A text without the byte order mark, which no column counts. */
function plainText({ text }: SourceText): string {
  return (typeof text === 'string' ? text : Buffer.from(text).toString()).replace(/^\uFEFF/, '')
}

/** What stands behind these keys is not for those who read messages. */
const secretValue = /\b((?:secret|password|token)["']?\s*:\s*)("[^"]*"|'[^']*'|[^\s,}\]"']+)/gi

/** The line with asterisks for secrets, as long as they were. */
function withoutSecrets(line: string): string {
  return line.replace(
    secretValue,
    (_all, key: string, value: string) => `${key}${'*'.repeat(value.length)}`,
  )
}

/** The line with a caret under the column; of a long line, the part around the column. */
function frame(
  whole: string,
  position: { readonly line: number; readonly column: number },
): string {
  const line = withoutSecrets(whole.trimEnd())
  const number = String(position.line)
  const from = line.length <= frameWidth ? 0 : Math.max(0, position.column - 1 - frameWidth / 2)
  const part = line.slice(from, from + frameWidth)
  const [before, after] = [from > 0 ? '...' : '', from + frameWidth < line.length ? '...' : '']
  const caret = ' '.repeat(Math.max(0, position.column - 1 - from) + before.length)
  const bar = ' '.repeat(number.length)
  return `  ${number} | ${before}${part}${after}\n  ${bar} | ${caret}^`
}
