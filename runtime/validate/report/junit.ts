import type { Finding } from '../rules/finding.ts'
import { placeOf, type Run } from './report.ts'

/** A suite for each file and a test for each finding; a file without findings is one test that passes. */
export function junitReport({ files, findings }: Run): string {
  const failures = findings.filter(({ severity }) => severity === 'error').length
  const suites = files.map((file) =>
    suite(
      file,
      findings.filter((one) => one.file === file),
    ),
  )
  const total = files.reduce((sum, file) => {
    const own = findings.filter((one) => one.file === file).length
    return sum + Math.max(1, own)
  }, 0)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="orch validate" tests="${total}" failures="${failures}">`,
    ...suites,
    '</testsuites>',
  ].join('\n')
}

function suite(file: string, findings: readonly Finding[]): string {
  const failures = findings.filter(({ severity }) => severity === 'error').length
  const head = `  <testsuite name="${xml(file)}" tests="${Math.max(1, findings.length)}" failures="${failures}">`
  const none = `    <testcase classname="${xml(file)}" name="is valid"/>`
  return [
    head,
    ...(findings.length === 0 ? [none] : findings.map(testCase)),
    '  </testsuite>',
  ].join('\n')
}

function testCase(finding: Finding): string {
  const { file, rule, severity, message, path = '' } = finding
  const name = `${rule}${path === '' ? '' : ` ${path}`}`
  const line = finding.at === undefined ? '' : ` line="${finding.at.line}"`
  const body = `${xml(placeOf(finding))}: ${xml(message)}`
  const inner =
    severity === 'error'
      ? `<failure type="${rule}" message="${xml(message)}">${body}</failure>`
      : `<system-out>${body}</system-out>`
  return `    <testcase classname="${xml(file)}" file="${xml(file)}"${line} name="${xml(name)}">${inner}</testcase>`
}

/** Text in XML. Characters that XML has no form for are left out. */
function xml(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replace(/\r?\n/g, '&#10;')
  )
}
