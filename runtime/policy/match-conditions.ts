import { costLimits, type Environment } from '../cel/cel.ts'
import { type CompiledExpression, compileExpression } from './compile-expression.ts'
import { budgetExceededMessage, type Evaluator } from './evaluator.ts'

/** One of the conditions under which a policy or a webhook is concerned with a request. */
export interface MatchCondition {
  readonly name: string
  readonly expression: string
}

/** A condition whose expression is compiled. */
export interface CompiledMatchCondition {
  readonly name: string
  readonly compiled: CompiledExpression
}

/** What conditions come to. `failed`: none is false, and not all could be evaluated. */
export type MatchOutcome =
  | { readonly is: 'true' }
  | { readonly is: 'false'; readonly name: string }
  | { readonly is: 'failed'; readonly text: string }

/** Compiles conditions; one with a problem is kept, and fails when it is evaluated. */
export function compileMatchConditions(
  given: readonly MatchCondition[],
  environment: Environment,
): readonly CompiledMatchCondition[] {
  return given.map(({ name, expression }) => ({
    name,
    compiled: compileExpression(expression, 'condition', environment),
  }))
}

/** Evaluates conditions within their budget (supplement C-15). One that is false decides, whatever else failed. */
export function evaluateMatchConditions(
  conditions: readonly CompiledMatchCondition[],
  run: Evaluator,
): MatchOutcome {
  const budget = { remaining: costLimits.conditions }
  const errors = new Set<string>()
  for (const { name, compiled } of conditions) {
    const outcome = run.evaluate(compiled, budget)
    if (outcome.is === 'spent') return { is: 'failed', text: budgetExceededMessage }
    if (outcome.is === 'error') errors.add(outcome.text)
    else if (outcome.value === false) return { is: 'false', name }
  }
  if (errors.size === 0) return { is: 'true' }
  const [only, ...more] = errors
  return { is: 'failed', text: more.length === 0 ? String(only) : `[${[...errors].join(', ')}]` }
}
