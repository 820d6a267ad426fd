import type { Place } from './place.ts'

/** One thing wrong with a configuration, where it stands. */
export interface ConfigFinding {
  readonly place: Place
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

/** `place: message`, and for a place in a text that is at hand the line with a caret under the column. */
export function printFinding(
  { place, message }: ConfigFinding,
  textOf: (file: string) => string | undefined,
): string {
  const { spot, text } = place
  const line = spot && textOf(spot.file)?.split('\n')[spot.line - 1]
  const head = `${text}: ${message}`
  if (spot === undefined || line === undefined) return head
  const number = String(spot.line)
  const caret = `${' '.repeat(number.length)} | ${' '.repeat(spot.column - 1)}^`
  return `${head}\n  ${number} | ${line.trimEnd()}\n  ${caret}`
}
