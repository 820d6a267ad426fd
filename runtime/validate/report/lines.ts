/** Formats of a few lines a finding: those of pipelines, and a table for a page. */

import { fingerprints } from './fingerprint.ts'
import { placeOf, type Run, summary } from './report.ts'

/** TAP 14: a test for each file. Warnings are told and do not fail. */
export function tapReport({ files, findings }: Run): string {
  const tests = files.flatMap((file, index) => {
    const own = findings.filter((one) => one.file === file)
    const errors = own.filter(({ severity }) => severity === 'error')
    const head = `${errors.length === 0 ? 'ok' : 'not ok'} ${index + 1} - ${tapText(file)}`
    if (own.length === 0) return [head]
    const rows = own.map(
      (one) =>
        `    - ${JSON.stringify(`${placeOf(one)}: ${one.severity}: ${one.message} [${one.rule}]`)}`,
    )
    return [head, '  ---', '  findings:', ...rows, '  ...']
  })
  return ['TAP version 14', `1..${files.length}`, ...tests].join('\n')
}

function tapText(text: string): string {
  return text.replace(/[\\#]/g, '\\$&').replace(/[\r\n]/g, ' ')
}

/** Commands of a GitHub workflow. One without a line stands at its file. */
export function githubReport({ findings }: Run): string {
  const words = { error: 'error', warning: 'warning', note: 'notice' } as const
  return findings
    .map(({ severity, file, at, rule, message }) => {
      const place = at === undefined ? '' : `,line=${at.line},col=${at.column}`
      const properties = `file=${property(file)}${place},title=${property(rule)}`
      return `::${words[severity]} ${properties}::${data(message)}`
    })
    .join('\n')
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

/** A code quality report of GitLab. A finding without a position has no lines. */
export function gitlabReport({ findings }: Run): string {
  const known = fingerprints(findings)
  const words = { error: 'major', warning: 'minor', note: 'info' } as const
  return JSON.stringify(
    findings.map(({ severity, file, at, rule, message }, index) => ({
      description: message,
      check_name: rule,
      fingerprint: known[index],
      severity: words[severity],
      location: {
        path: file,
        ...(at && {
          lines: { begin: at.line },
          positions: { begin: { line: at.line, column: at.column } },
        }),
      },
    })),
    null,
    2,
  )
}

/** A table for a page or a comment on a review. */
export function markdownReport(run: Run): string {
  const { findings } = run
  if (findings.length === 0) return `**orch validate**: ${summary(run)}`
  const rows = findings.map(
    (one) => `| ${cell(placeOf(one))} | ${one.severity} | ${cell(one.message)} | \`${one.rule}\` |`,
  )
  return [
    `**orch validate**: ${summary(run)}`,
    '',
    '| place | severity | finding | rule |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

function cell(text: string): string {
  return text.replace(/[\\|<>*_`[\]]/g, '\\$&').replace(/\r?\n/g, ' ')
}
