/**
 * Comments that suppress findings: `# orch-ignore RULE[, RULE] [until YYYY-MM-DD]: REASON`, behind what they are about or on a line
 * of their own above it; `orch-ignore-file` is about the whole file.
 */
import type { Finding } from '../rules/finding.ts'
import { isRule, type RuleId, rules } from '../rules/rule.ts'
import { hasWord, type Source, textOf } from './read-documents.ts'

/** Findings that are left, and how many are not. */
export interface Settled {
  readonly findings: readonly Finding[]
  readonly suppressed: number
}

/** A comment of this kind. */
interface Suppression {
  readonly rules: readonly string[]
  readonly until: string | undefined
  /** The line that it is about; undefined for all of the file. */
  readonly line: number | undefined
  readonly at: NonNullable<Finding['at']>
  readonly problem: string | undefined
}

const word = 'orch-ignore'
const form =
  /^#\s*orch-ignore(-file)?\s+([a-z][a-z.-]*(?:\s*,\s*[a-z][a-z.-]*)*)(?:\s+until\s+(\d{4}-\d{2}-\d{2}))?\s*:\s*(\S.*)$/

/** True for a text that may have such comments. */
export function mayHaveSuppressions(source: Pick<Source, 'text'>): boolean {
  return hasWord(source, [word])
}

/** Takes away what comments of the source suppress, and adds what is wrong with these comments. */
export function applySuppressions(
  source: Source,
  findings: readonly Finding[],
  today: string,
): Settled {
  const suppressions = suppressionsIn(source)
  if (suppressions.length === 0) return { findings, suppressed: 0 }
  const used = new Set<Suppression>()
  const left = findings.filter((finding) => {
    const by = suppressions.filter(
      (one) => one.problem === undefined && !isExpired(one, today) && covers(one, finding),
    )
    for (const one of by) used.add(one)
    return by.length === 0
  })
  const about = suppressions.flatMap((one) => {
    const told = problemOf(one, used.has(one), today)
    return told === undefined ? [] : [{ ...told, file: source.name, at: one.at }]
  })
  return { findings: [...left, ...about], suppressed: findings.length - left.length }
}

function covers({ rules, line }: Suppression, { rule, at }: Finding): boolean {
  return rules.includes(rule) && (line === undefined || at?.line === line)
}

function isExpired({ until }: Suppression, today: string): boolean {
  return until !== undefined && until < today
}

function problemOf(one: Suppression, isUsed: boolean, today: string) {
  const told = (rule: RuleId, message: string) => ({
    rule,
    severity: rules[rule].severity,
    message,
  })
  if (one.problem !== undefined) return told('suppression.malformed', one.problem)
  if (isExpired(one, today)) {
    return told(
      'suppression.expired',
      `the suppression of ${one.rules.join(', ')} ended on ${one.until}`,
    )
  }
  if (isUsed) return undefined
  return told('suppression.unused', `there is nothing to suppress by ${one.rules.join(', ')}`)
}

function suppressionsIn(source: Source): readonly Suppression[] {
  if (!mayHaveSuppressions(source)) return []
  const lines = textOf(source).split('\n')
  let offset = 0
  return lines.flatMap((line, index) => {
    const start = offset
    offset += line.length + 1
    const found = /(^|\s)(#\s*orch-ignore.*)$/.exec(line.trimEnd())
    if (found === null) return []
    const column = found.index + (found[1] as string).length
    return [suppression(lines, index, column, start + column, found[2] as string)]
  })
}

function suppression(
  lines: readonly string[],
  index: number,
  column: number,
  offset: number,
  comment: string,
): Suppression {
  const at = { line: index + 1, column: column + 1, offset, end: offset + comment.length }
  const parts = form.exec(comment)
  if (parts === null) {
    const problem = `write # ${word} RULE[, RULE] [until YYYY-MM-DD]: REASON`
    return { rules: [], until: undefined, line: undefined, at, problem }
  }
  const [, file, list = '', until] = parts
  const names = list.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !isRule(name))
  const problem = unknown === undefined ? undefined : `no rule is called ${unknown}`
  const line = file === undefined ? lineOf(lines, index, column) : undefined
  return { rules: names, until, line, at, problem }
}

/** The line of the comment, or, of one that stands alone, the next that is no comment. */
function lineOf(lines: readonly string[], index: number, column: number): number {
  if (lines[index]?.slice(0, column).trim() !== '') return index + 1
  const next = lines.findIndex((line, at) => at > index && !/^\s*(#|$)/.test(line))
  return (next < 0 ? index : next) + 1
}
