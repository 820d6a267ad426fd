/** Conditions under which a webhook or a policy is concerned with a request. */

import { qualifiedNameProblems } from '../kernel/names.ts'
import type { Finding } from '../kernel/read.ts'
import { repeated } from '../kernel/repeated.ts'
import {
  type CompiledCondition,
  type Condition,
  compileConditions,
  scopeOf,
} from '../policy/policy.ts'
import { duplicate, invalid, problems, required } from './findings.ts'
import type { List } from './shapes.ts'

/** Most conditions of one webhook or policy. */
const most = 64

export type Conditions = List<Partial<Condition>>

/** What is wrong with conditions of a webhook, which has no parameters. */
export function checkConditions(
  path: string,
  given: Conditions | undefined,
  brand: string,
): readonly Finding[] {
  const conditions = completed(given)
  if (conditions.length === 0) return []
  const scope = scopeOf({ brand, params: false, authorizer: true })
  return conditionFindings(path, given, compileConditions(conditions, scope))
}

/** What is wrong with conditions, with how they compiled. */
export function conditionFindings(
  path: string,
  given: Conditions | undefined,
  compiled: readonly CompiledCondition[],
): readonly Finding[] {
  const conditions = completed(given)
  if (conditions.length > most) return [tooMany(path, conditions.length)]
  const again = repeated(conditions.map(({ name }) => name))
  return conditions.flatMap(({ name, expression }, index) => {
    const at = `${path}[${index}]`
    return [
      ...expressionFindings(`${at}.expression`, expression, compiled[index]?.compiled.problem),
      ...(name === ''
        ? [required(`${at}.name`)]
        : problems(`${at}.name`, name, qualifiedNameProblems(name))),
      ...(name !== '' && again[index] ? [duplicate(`${at}.name`, name)] : []),
    ]
  })
}

function expressionFindings(
  path: string,
  expression: string,
  problem: string | undefined,
): readonly Finding[] {
  if (expression.trim() === '') return [required(path)]
  return problem === undefined ? [] : [invalid(path, expression, problem)]
}

/** Conditions as the compiler takes them. */
export function completed(given: Conditions | undefined): readonly Condition[] {
  return (given ?? []).map(({ name = '', expression = '' }) => ({ name, expression }))
}

function tooMany(path: string, count: number): Finding {
  const message = `Too many: ${count}: must have at most ${most} items`
  return { path, reason: 'FieldValueTooMany', message }
}
