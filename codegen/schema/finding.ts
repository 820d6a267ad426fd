/**
 * What is wrong with schema files. Everything that reads them reports findings and goes on, so that one run shows all
 * of them.
 */
import type { Position } from './position.ts'

/** One mistake, where it stands, under a stable code such as `unknown-keyword`. */
export interface Finding {
  readonly at: Position
  readonly code: string
  /** Lower case, names the thing first, says what was expected. */
  readonly message: string
}

/** Takes a finding; the caller goes on as well as it can. */
export type Report = (at: Position, code: string, message: string) => void

/** By file, line, column and then code; a finding that was reported twice is there once. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Map(findings.map((finding) => [identity(finding), finding]))
  return [...seen.values()].sort(
    (a, b) =>
      compare(a.at.file, b.at.file) ||
      a.at.line - b.at.line ||
      a.at.column - b.at.column ||
      compare(identity(a), identity(b)),
  )
}

/**
 * The findings as text: `file:line:column: code: message` and the line with a caret under the column; of a file as a whole, neither
 * line nor column. `textOf` gives the text of a file, `nameOf` the name to show for it.
 */
export function printFindings(
  findings: readonly Finding[],
  textOf: (file: string) => string | undefined,
  nameOf: (file: string) => string = (file) => file,
): string {
  return findings
    .map(({ at, code, message }) => {
      const place = at.line === 0 ? '' : `:${at.line}:${at.column}`
      const heading = `${nameOf(at.file)}${place}: ${code}: ${message}\n`
      return heading + frame(at, textOf(at.file))
    })
    .join('')
}

/**
 * Nothing for a position outside the text, or in a file whose text is not at hand:
 *
 *   12 |   plurals: pods
 *      |   ^
 */
function frame(at: Position, text: string | undefined): string {
  const line = text?.split('\n')[at.line - 1]
  if (line === undefined) return ''
  const number = `${at.line}`
  const blank = ' '.repeat(number.length)
  return `  ${number} | ${line.trimEnd()}\n  ${blank} | ${' '.repeat(at.column - 1)}^\n`
}

/** The whole of a finding as text: equal findings are one. */
function identity({ at, code, message }: Finding): string {
  return `${at.file}:${at.line}:${at.column}:${code}:${message}`
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
