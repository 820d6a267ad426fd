import type { MatchCondition } from '../../generated/apis/admissionregistration/v1/webhook.ts'
import { costLimits, type Environment } from '../cel/cel.ts'
import { type CompiledExpression, compileExpression } from './compile-expression.ts'
import { budgetExceededMessage, type Evaluator } from './evaluator.ts'

export type { MatchCondition }

/** A match condition with its compiled expression. */
export interface CompiledMatchCondition {
  readonly name: string
  readonly compiled: CompiledExpression
}

/** The outcome of match conditions. `failed`: none is false, and at least one could not be evaluated. */
export type MatchOutcome =
  | { readonly is: 'true' }
  | { readonly is: 'false'; readonly name: string }
  | { readonly is: 'failed'; readonly text: string }

/** Compiles match conditions. One with a compilation error fails when it is evaluated. */
export function compileMatchConditions(
  conditions: readonly MatchCondition[],
  environment: Environment,
): readonly CompiledMatchCondition[] {
  return conditions.map(({ name, expression }) => ({
    name,
    compiled: compileExpression(expression, 'condition', environment),
  }))
}

/**
 * Evaluates match conditions within their cost budget (supplement C-15). A false one decides, even
 * if others fail. The first false one ends the evaluation. No conditions are true. Equal error texts
 * are told once, several in brackets.
 */
export function evaluateMatchConditions(
  conditions: readonly CompiledMatchCondition[],
  evaluator: Evaluator,
): MatchOutcome {
  const budget = { remaining: costLimits.conditions }
  const errors = new Set<string>()
  for (const { name, compiled } of conditions) {
    const outcome = evaluator.evaluate(compiled, budget)
    if (outcome.is === 'spent') return { is: 'failed', text: budgetExceededMessage }
    if (outcome.is === 'error') errors.add(outcome.text)
    else if (outcome.value === false) return { is: 'false', name }
  }
  if (errors.size === 0) return { is: 'true' }
  const [only, ...more] = errors
  return { is: 'failed', text: more.length === 0 ? String(only) : `[${[...errors].join(', ')}]` }
}
