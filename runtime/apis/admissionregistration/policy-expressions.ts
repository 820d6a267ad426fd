/** The expressions of a policy: they are there, they compile, and what goes with them can be shown. */

import { qualifiedNameProblems } from '../../kernel/meta/names.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { flagDuplicates } from '../../kernel/values/duplicates.ts'
import type { CompiledPolicy, PolicySpec } from '../../policy/policy.ts'
import { duplicate, invalid, invalidAll, required, unsupported } from '../types/field-errors.ts'
import type { List } from '../types/shapes.ts'
import { type Conditions, toConditions } from './match-conditions.ts'

/** What a policy's spec says in expressions. */
export interface Expressions {
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string }
  readonly matchConditions?: Conditions
  readonly variables?: Conditions
  readonly validations?: List<Validation>
  readonly auditAnnotations?: List<Annotation>
}

interface Validation {
  readonly expression?: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
}

interface Annotation {
  readonly key?: string
  readonly valueExpression?: string
}

type FieldErrors = readonly FieldError[]

/** The spec with every expression there, empty where it is missing. */
export function toPolicySpec(spec: Expressions): PolicySpec {
  return {
    ...(spec.paramKind && { paramKind: spec.paramKind }),
    matchConditions: toConditions(spec.matchConditions),
    variables: toConditions(spec.variables),
    validations: (spec.validations ?? []).map((one) => ({ expression: '', ...one })),
    auditAnnotations: (spec.auditAnnotations ?? []).map(({ key = '', valueExpression = '' }) => ({
      key,
      valueExpression,
    })),
  }
}

export function checkVariables(
  path: string,
  list: NonNullable<Conditions>,
  compiled: CompiledPolicy,
): FieldErrors {
  const again = flagDuplicates(list.map(({ name }) => name))
  return list.flatMap(({ name = '', expression = '' }, index) => {
    const at = `${path}[${index}]`
    return [
      ...(name.trim() === ''
        ? [required(`${at}.name`, 'name is not specified')]
        : isIdentifier(name)
          ? []
          : [invalid(`${at}.name`, name, 'name is not a valid CEL identifier')]),
      ...(name !== '' && again[index] ? [duplicate(`${at}.name`, name)] : []),
      ...checkExpression(
        `${at}.expression`,
        expression,
        compiled.variables[index]?.compiled.problem,
      ),
    ]
  })
}

/** An expression is there and compiles. */
function checkExpression(
  path: string,
  expression: string,
  problem: string | undefined,
): FieldErrors {
  if (expression.trim() === '') return [required(path, 'expression is not specified')]
  return problem === undefined ? [] : [invalid(path, expression, problem)]
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const reserved = new Set(
  (
    'true false null in as break const continue else for function if import let loop package ' +
    'namespace return var void while'
  ).split(' '),
)

function isIdentifier(name: string): boolean {
  return identifier.test(name) && !reserved.has(name)
}

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized']

export function checkValidations(
  path: string,
  spec: Expressions,
  compiled: CompiledPolicy,
): FieldErrors {
  const list = spec.validations ?? []
  if (list.length === 0 && (spec.auditAnnotations ?? []).length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item'
    return [required(path, why), required('spec.auditAnnotations', why)]
  }
  return list.flatMap((one, index) => {
    const at = `${path}[${index}]`
    const { expression = '', reason } = one
    return [
      ...checkExpression(
        `${at}.expression`,
        expression,
        compiled.validations[index]?.compiled.problem,
      ),
      ...checkMadeMessage(at, one, compiled.validations[index]?.compiledMessage?.problem),
      ...checkMessage(at, one),
      ...(reason && !reasons.includes(reason)
        ? [unsupported(`${at}.reason`, reason, reasons)]
        : []),
    ]
  })
}

function checkMadeMessage(
  at: string,
  { messageExpression = '' }: Validation,
  problem: string | undefined,
): FieldErrors {
  if (messageExpression === '') return []
  const path = `${at}.messageExpression`
  if (messageExpression.trim() === '') {
    return [invalid(path, messageExpression, 'must be non-empty if specified')]
  }
  return problem === undefined ? [] : [invalid(path, messageExpression, problem)]
}

function checkMessage(at: string, { message = '', expression = '' }: Validation): FieldErrors {
  const path = `${at}.message`
  const text = message.trim()
  if (message !== '' && text === '') {
    return [invalid(path, message, 'message must be non-empty if specified')]
  }
  if (lineBreak.test(text)) return [invalid(path, message, 'message must not contain line breaks')]
  const needed = text === '' && lineBreak.test(expression.trim())
  return needed
    ? [required(path, 'message must be specified if expression contains line breaks')]
    : []
}

const lineBreak = /[\n\r]/
const mostAnnotations = 20
const longestValueExpression = 5 * 1024

export function checkAnnotations(
  path: string,
  policy: string,
  spec: Expressions,
  compiled: CompiledPolicy,
): FieldErrors {
  const list = spec.auditAnnotations ?? []
  if (list.length > mostAnnotations) {
    return [invalid(path, list, `must not have more than ${mostAnnotations} auditAnnotations`)]
  }
  const again = flagDuplicates(list.map(({ key }) => key))
  return list.flatMap(({ key = '', valueExpression = '' }, index) => {
    const at = `${path}[${index}]`
    const full = `${policy}/${key}`
    return [
      ...invalidAll(`${at}.key`, full, qualifiedNameProblems(full)),
      ...(again[index] ? [duplicate(`${at}.key`, key)] : []),
      ...checkValueExpression(
        `${at}.valueExpression`,
        valueExpression,
        compiled.annotations[index]?.compiled.problem,
      ),
    ]
  })
}

function checkValueExpression(
  path: string,
  expression: string,
  problem: string | undefined,
): FieldErrors {
  const text = expression.trim()
  if (text === '') return [required(path, 'valueExpression is not specified')]
  if (Buffer.byteLength(text) > longestValueExpression) {
    return [required(path, `must not exceed ${longestValueExpression} bytes in length`)]
  }
  return problem === undefined ? [] : [invalid(path, expression, problem)]
}
