import type { TextRange } from '../../serializer/serializer.ts'
import type { Finding } from './finding.ts'
import { type RuleId, rules } from './rule.ts'

/** What is wrong with a part of a document, before it is known which file and object that is. */
export type PartFinding = Pick<Finding, 'rule' | 'severity' | 'message'> &
  Partial<Pick<Finding, 'at' | 'path' | 'fix' | 'nearest' | 'related' | 'failing' | 'declared'>>

/** A finding of a rule, with the severity of the rule. */
export function finding(rule: RuleId, message: string, at: TextRange, path?: string): PartFinding {
  const { severity } = rules[rule]
  return { rule, severity, message, at, ...(path !== undefined && { path }) }
}
