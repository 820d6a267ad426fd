/** Checks of a validation rule that need no compiling. */
import type { ValidationRule } from '../../kernel/descriptors/validation-rules.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { formatValue } from '../../kernel/validation/report.ts'
import type { SchemaNode } from '../schema/schema-node.ts'
import { resolveFieldPath } from './field-path.ts'

/** One mistake in the form of a rule: `problem` for its author, `reason` and `message` for the client that wrote it. */
export interface FormMistake {
  readonly part: keyof ValidationRule
  readonly problem: string
  readonly reason: FieldError['reason']
  readonly message: string
}

const lineBreak = /[\n\r]/
/** The reasons that a rule may give its errors. */
const reasons: readonly string[] = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
]

/** The errors of the form of a node's rules; `path` is that of their list. */
export function formErrors(node: SchemaNode, path: string): readonly FieldError[] {
  return node.validations.flatMap((rule, index) =>
    mistakesInForm(rule, node).map(({ part, reason, message }) => ({
      path: `${path}[${index}].${part}`,
      reason,
      message,
    })),
  )
}

/** Everything that is wrong with the form of a rule at a node of the schema, in the order of its parts. */
export function mistakesInForm(rule: ValidationRule, node: SchemaNode): readonly FormMistake[] {
  return [
    ...ruleMistakes(rule),
    ...messageExpressionMistakes(rule),
    ...reasonMistakes(rule),
    ...fieldPathMistakes(rule, node),
  ]
}

function missing(part: keyof ValidationRule, problem: string): FormMistake {
  return { part, problem, reason: 'FieldValueRequired', message: `Required value: ${problem}` }
}

function invalid(part: keyof ValidationRule, value: unknown, problem: string): FormMistake {
  const message = `Invalid value: ${formatValue(value)}: ${problem}`
  return { part, problem, reason: 'FieldValueInvalid', message }
}

/** At most one mistake of the expression and its message: the first. */
function ruleMistakes({ rule, message }: ValidationRule): readonly FormMistake[] {
  if (rule.trim() === '') return [missing('rule', 'rule is not specified')]
  if (!message) {
    if (!lineBreak.test(rule.trim())) return []
    return [missing('message', 'message must be specified if rule contains line breaks')]
  }
  if (message.trim() === '') {
    return [invalid('message', message, 'message must be non-empty if specified')]
  }
  if (!lineBreak.test(message.trim())) return []
  return [invalid('message', message, 'message must not contain line breaks')]
}

function messageExpressionMistakes({ messageExpression }: ValidationRule): readonly FormMistake[] {
  const blank = messageExpression !== undefined && /^\s+$/.test(messageExpression)
  if (!blank) return []
  const problem = 'messageExpression must be non-empty if specified'
  return [missing('messageExpression', problem)]
}

function reasonMistakes({ reason }: ValidationRule): readonly FormMistake[] {
  if (reason === undefined || reasons.includes(reason)) return []
  const known = reasons.map((one) => `"${one}"`).join(', ')
  return [
    {
      part: 'reason',
      problem: `"${reason}" is no reason; expected one of ${known}`,
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${formatValue(reason)}: supported values: ${known}`,
    },
  ]
}

function fieldPathMistakes(
  { fieldPath }: ValidationRule,
  node: SchemaNode,
): readonly FormMistake[] {
  if (!fieldPath) return []
  const problems = [
    ...(fieldPath.trim() === '' ? ['fieldPath must be non-empty if specified'] : []),
    ...(lineBreak.test(fieldPath) ? ['fieldPath must not contain line breaks'] : []),
    ...(resolveFieldPath(fieldPath, node) === undefined ? ['fieldPath must be a valid path'] : []),
  ]
  return problems.map((problem) => invalid('fieldPath', fieldPath, problem))
}
