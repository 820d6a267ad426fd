import type { Finding } from '../rules/finding.ts'

/** A run: what was checked, what was found, and the texts that findings are about. */
export interface Run {
  readonly findings: readonly Finding[]
  readonly files: readonly string[]
  readonly objects: number
  readonly suppressed: number
  /** Findings that the baseline has. */
  readonly known: number
  /** The version of the command. */
  readonly version: string
  /** A line of a file, from 1, where the file is still there to show. */
  readonly line: (file: string, line: number) => string | undefined
  /** True for a terminal that shows colours. */
  readonly colour: boolean
}

/** Counts of findings by severity. */
export function counts(findings: readonly Finding[]) {
  const of = (severity: Finding['severity']) =>
    findings.filter((one) => one.severity === severity).length
  return { error: of('error'), warning: of('warning'), note: of('note') }
}

/** `1 error`, `2 errors`. */
export function amount(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** What was checked and found, in one sentence. */
export function summary({ findings, files, objects, suppressed, known }: Run): string {
  const { error, warning, note } = counts(findings)
  const parts = [
    amount(error, 'error'),
    ...(warning > 0 ? [amount(warning, 'warning')] : []),
    ...(note > 0 ? [amount(note, 'note')] : []),
    ...(suppressed > 0 ? [`${suppressed} suppressed`] : []),
    ...(known > 0 ? [`${known} of the baseline`] : []),
  ]
  return `${amount(objects, 'object')} in ${amount(files.length, 'file')}: ${parts.join(', ')}`
}

/** `file:line:column`, as far as it is known. */
export function placeOf({ file, at }: Pick<Finding, 'file' | 'at'>): string {
  return at === undefined ? file : `${file}:${at.line}:${at.column}`
}
