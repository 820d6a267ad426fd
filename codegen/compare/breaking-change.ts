/** What comparing two schema trees finds: an edit that breaks a rule, with its position in both trees. */
import { type Finding, printFindings } from '../schema/finding.ts'
import type { Api } from '../schema/ir.ts'
import type { Position } from '../schema/position.ts'

/** The rules of the deprecation policy, numbered as in section 9 of api-server.md. */
export type RuleId =
  | 'rule-1'
  | 'rule-2'
  | 'rule-3'
  | 'rule-4a'
  | 'rule-4b'
  | 'rule-5a'
  | 'rule-5b'
  | 'rule-5c'
  | 'rule-6'
  | 'rule-7'
  | 'rule-8'
  | 'rule-9'
  | 'rule-10'
  | 'rule-11a'
  | 'rule-11b'

/** One edit that the policy does not allow. What is gone has, in the tree after, the position of what held it. */
export interface BreakingChange {
  readonly rule: RuleId
  readonly message: string
  readonly before: Position
  readonly after: Position
}

/** Takes a breaking change; the comparison goes on. */
export type ReportBreakingChange = (breach: BreakingChange) => void

/** The two trees: as released, and as it would be released next. */
export interface ApiPair {
  readonly before: Api
  readonly after: Api
}

/** Reports the breaking changes of some rules. It changes nothing. */
export type Comparison = (pair: ApiPair, tell: ReportBreakingChange) => void

/** How a tree is shown to a person: the texts of its files, and the names to show for them. */
export interface SourceView {
  readonly textOf: (file: string) => string | undefined
  readonly nameOf: (file: string) => string
}

/**
 * Each change once, by its position in the tree after, then by rule, position before and text.
 * One edit may be found on several paths: what says the same at the same places is told once.
 */
export function sortBreakingChanges(
  breaches: readonly BreakingChange[],
): readonly BreakingChange[] {
  const key = ({ after, before, rule, message }: BreakingChange): string =>
    [positionKey(after), rule, positionKey(before), message].join('\n')
  const byKey = new Map(breaches.map((each) => [key(each), each]))
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, breach]) => breach)
}

/** Each change with a caret frame of both trees, the tree after first. */
export function printBreakingChanges(
  breaches: readonly BreakingChange[],
  before: SourceView,
  after: SourceView,
): string {
  return breaches
    .map((breach) => {
      const now: Finding = { at: breach.after, code: breach.rule, message: breach.message }
      const then: Finding = {
        at: breach.before,
        code: 'before',
        message: 'what it is compared with',
      }
      return (
        printFindings([now], after.textOf, after.nameOf) +
        printFindings([then], before.textOf, before.nameOf)
      )
    })
    .join('')
}

/** Text that sorts as positions do: lines and columns are padded with zeros. */
function positionKey({ file, line, column }: Position): string {
  return `${file}:${String(line).padStart(6, '0')}:${String(column).padStart(4, '0')}`
}
