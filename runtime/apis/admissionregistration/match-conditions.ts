/** Conditions under which a webhook or a policy is concerned with a request. */
import type { MatchCondition as GeneratedCondition } from '../../../generated/apis/admissionregistration/v1/webhook.ts'
import { qualifiedNameProblems } from '../../kernel/meta/names.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { Loose } from '../../kernel/walker/loose.ts'
import {
  type CompiledMatchCondition,
  compileMatchConditions,
  environmentFor,
  type MatchCondition,
} from '../../policy/policy.ts'

/** Most conditions of one webhook or policy. */
const most = 64

type Conditioned = Field<{ readonly matchConditions?: readonly GeneratedCondition[] }>

/** Checks the conditions of a webhook, which has no parameters. `stored`: the expressions of the webhooks it replaces. */
export function checkConditions(
  webhook: Conditioned,
  brand: string,
  stored: ReadonlySet<string>,
): void {
  const conditions = toConditions(webhook.value.matchConditions)
  if (conditions.length === 0) return
  const environment = environmentFor({ brand, params: false, authorizer: true, stored })
  checkCompiled(webhook, compileMatchConditions(conditions, environment))
}

/** Checks conditions, with how they compiled. */
export function checkCompiled(owner: Conditioned, compiled: readonly CompiledMatchCondition[]) {
  if ((owner.value.matchConditions ?? []).length > most) {
    return owner.tooMany('matchConditions', most)
  }
  const names = new Set<string>()
  owner.each('matchConditions', (condition, index) => {
    const { name = '', expression = '' } = condition.value
    const problem = compiled[index]?.compiled.problem
    if (expression.trim() === '') condition.required('expression')
    else if (problem !== undefined) condition.invalid('expression', problem)
    if (name === '') condition.required('name')
    condition.checkText('name', qualifiedNameProblems)
    condition.unique('name', names)
  })
}

/** Conditions as the compiler takes them. */
export function toConditions(
  given: Loose<readonly GeneratedCondition[]> | undefined,
): readonly MatchCondition[] {
  return (given ?? []).map(({ name = '', expression = '' }) => ({ name, expression }))
}
