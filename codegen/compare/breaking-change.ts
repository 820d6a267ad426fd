/** What comparing two schema trees finds: a rule that an edit breaks, with the place in both trees. */
import { type Finding, printFindings } from '../schema/finding.ts'
import type { Api } from '../schema/ir.ts'
import type { Position } from '../schema/position.ts'

/** The rules of the deprecation policy, as its document numbers them (api-server.md, section 9). */
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

/** One thing that may not be done. What is gone stands, in the tree after, where what held it stands. */
export interface BreakingChange {
  readonly rule: RuleId
  readonly message: string
  readonly before: Position
  readonly after: Position
}

/** Takes a breach; the comparison goes on. */
export type ReportBreakingChange = (breach: BreakingChange) => void

/** The two trees. */
export interface ApiPair {
  readonly before: Api
  readonly after: Api
}

/** Finds the breaches of some rules. It never changes anything. */
export type Comparison = (pair: ApiPair, tell: ReportBreakingChange) => void

/** How a side is shown: the text of its files, and the names a person knows them by. */
export interface SourceView {
  readonly textOf: (file: string) => string | undefined
  readonly nameOf: (file: string) => string
}

/** In order of place in the tree after, then of rule and text. */
export function sortBreakingChanges(
  breaches: readonly BreakingChange[],
): readonly BreakingChange[] {
  const key = ({ after, before, rule, message }: BreakingChange): string =>
    [positionKey(after), rule, positionKey(before), message].join('\n')
  const byKey = new Map(breaches.map((each) => [key(each), each]))
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, breach]) => breach)
}

/** Each breach with a caret frame on both sides. */
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

/** Where a table stands, for what has no row in it: its first line. */
export function startOfFile(file: string): Position {
  return { file, line: 1, column: 1 }
}

function positionKey({ file, line, column }: Position): string {
  return `${file}:${String(line).padStart(6, '0')}:${String(column).padStart(4, '0')}`
}
