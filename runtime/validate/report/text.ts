import type { Finding } from '../rules/finding.ts'
import { placeOf, type Run, summary } from './report.ts'

/** How many characters of a long line are shown. */
const frameWidth = 120

/** For people: each finding with its line and a caret, then a sentence about all. */
export function textReport(run: Run): string {
  const blocks = run.findings.map((finding) => block(finding, run))
  return [...blocks, summary(run)].join('\n')
}

function block(finding: Finding, run: Run): string {
  const { severity, rule, message, related = [], fix } = finding
  const said = linesOf(message)
  const head = `${printable(placeOf(finding))}: ${paint(severity, severity, run)}: ${said} [${rule}]`
  return [
    head,
    ...frame(finding, run),
    ...failingPart(finding, run),
    ...related.map((one) => `  ${printable(placeOf(one))}: ${linesOf(one.message)}`),
    ...(fix === undefined ? [] : [`  fix: ${fix.title}`]),
  ].join('\n')
}

/** The line with a mark under the part that the finding is about; of a long line, what is around it. */
function frame({ file, at, secret }: Finding, run: Run): readonly string[] {
  const whole = at && run.line(file, at.line)
  if (at === undefined || whole === undefined) return []
  const line = withoutSecrets(printable(whole.trimEnd()), secret === true)
  const start = at.column - 1
  const from = line.length <= frameWidth ? 0 : Math.max(0, start - frameWidth / 2)
  const part = line.slice(from, from + frameWidth)
  const [before, after] = [from > 0 ? '...' : '', from + frameWidth < line.length ? '...' : '']
  const room = Math.max(1, from + frameWidth - start)
  const long = Math.min(Math.max(1, at.end - at.offset), Math.max(1, line.length - start), room)
  const number = String(at.line)
  const bar = ' '.repeat(number.length)
  const space = ' '.repeat(Math.max(0, start - from) + before.length)
  const mark = paint('error', `^${'~'.repeat(long - 1)}`, run)
  return [`  ${number} | ${before}${part}${after}`, `  ${bar} | ${space}${mark}`]
}

/** The rule with a mark under the part that does not hold; of a long rule, that part alone. */
function failingPart({ failing }: Finding, run: Run): readonly string[] {
  if (failing === undefined) return []
  const { rule, start, end } = failing
  const whole = rule.length <= frameWidth
  const shown = printable(whole ? rule : rule.slice(start, Math.min(end, start + frameWidth)))
  const [from, long] = whole ? [start, end - start] : [0, shown.length]
  const mark = paint('error', `^${'~'.repeat(Math.max(0, long - 1))}`, run)
  return [`  rule: ${shown}`, `        ${' '.repeat(from)}${mark}`]
}

/** A message may have several lines. */
function linesOf(message: string): string {
  return message.split(/\r?\n/).map(printable).join('\n')
}

/** Control characters would act on a terminal, and a tab would move the mark. */
function printable(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  return line.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
}

/** What stands behind these keys is not for those who read messages. */
const secretValue = /\b((?:secret|password|token)["']?\s*:\s*)("[^"]*"|'[^']*'|[^\s,}\]"']+)/gi

/** The line with asterisks for secrets, as long as they were; of a Secret, for every value. */
function withoutSecrets(line: string, isSecret: boolean): string {
  const hide = (_all: string, key: string, value: string) => `${key}${'*'.repeat(value.length)}`
  return isSecret ? line.replace(/^(.*?:\s+|\s*)(\S.*)$/, hide) : line.replace(secretValue, hide)
}

const colours = { error: '31', warning: '33', note: '36' } as const

function paint(severity: Finding['severity'], text: string, { colour }: Run): string {
  return colour ? `\u001b[${colours[severity]}m${text}\u001b[0m` : text
}
