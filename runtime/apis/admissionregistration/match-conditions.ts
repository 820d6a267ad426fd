/** Conditions under which a webhook or a policy is concerned with a request. */

import { qualifiedNameProblems } from '../../kernel/meta/names.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { flagDuplicates } from '../../kernel/values/duplicates.ts'
import {
  type CompiledMatchCondition,
  compileMatchConditions,
  environmentFor,
  type MatchCondition,
} from '../../policy/policy.ts'
import { duplicate, invalid, invalidAll, required } from '../types/field-errors.ts'
import type { List } from '../types/shapes.ts'

/** Most conditions of one webhook or policy. */
const most = 64

export type Conditions = List<Partial<MatchCondition>>

/** What is wrong with conditions of a webhook, which has no parameters. */
export function checkConditions(
  path: string,
  given: Conditions | undefined,
  brand: string,
): readonly FieldError[] {
  const conditions = toConditions(given)
  if (conditions.length === 0) return []
  const scope = environmentFor({ brand, params: false, authorizer: true })
  return conditionErrors(path, given, compileMatchConditions(conditions, scope))
}

/** What is wrong with conditions, with how they compiled. */
export function conditionErrors(
  path: string,
  given: Conditions | undefined,
  compiled: readonly CompiledMatchCondition[],
): readonly FieldError[] {
  const conditions = toConditions(given)
  if (conditions.length > most) return [tooMany(path, conditions.length)]
  const again = flagDuplicates(conditions.map(({ name }) => name))
  return conditions.flatMap(({ name, expression }, index) => {
    const at = `${path}[${index}]`
    return [
      ...expressionErrors(`${at}.expression`, expression, compiled[index]?.compiled.problem),
      ...(name === ''
        ? [required(`${at}.name`)]
        : invalidAll(`${at}.name`, name, qualifiedNameProblems(name))),
      ...(name !== '' && again[index] ? [duplicate(`${at}.name`, name)] : []),
    ]
  })
}

function expressionErrors(
  path: string,
  expression: string,
  problem: string | undefined,
): readonly FieldError[] {
  if (expression.trim() === '') return [required(path)]
  return problem === undefined ? [] : [invalid(path, expression, problem)]
}

/** Conditions as the compiler takes them. */
export function toConditions(given: Conditions | undefined): readonly MatchCondition[] {
  return (given ?? []).map(({ name = '', expression = '' }) => ({ name, expression }))
}

function tooMany(path: string, count: number): FieldError {
  const message = `Too many: ${count}: must have at most ${most} items`
  return { path, reason: 'FieldValueTooMany', message }
}
