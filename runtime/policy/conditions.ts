import { type Environment, limits } from '../cel/cel.ts'
import { type Compiled, compileExpression } from './compile.ts'
import { type Run, spentText } from './run.ts'

/** One of the conditions under which a policy or a webhook is concerned with a request. */
export interface Condition {
  readonly name: string
  readonly expression: string
}

/** A condition whose expression is compiled. */
export interface CompiledCondition {
  readonly name: string
  readonly compiled: Compiled
}

/** What conditions come to. `failed`: none is false, and not all could be evaluated. */
export type Holding =
  | { readonly is: 'true' }
  | { readonly is: 'false'; readonly name: string }
  | { readonly is: 'failed'; readonly text: string }

/** Compiles conditions; one with a problem is kept, and fails when it is evaluated. */
export function compileConditions(
  given: readonly Condition[],
  environment: Environment,
): readonly CompiledCondition[] {
  return given.map(({ name, expression }) => ({
    name,
    compiled: compileExpression(expression, 'condition', environment),
  }))
}

/** Evaluates conditions within their budget (supplement C-15). One that is false decides, whatever else failed. */
export function conditionsHold(conditions: readonly CompiledCondition[], run: Run): Holding {
  const budget = { remaining: limits.conditions }
  const errors = new Set<string>()
  for (const { name, compiled } of conditions) {
    const outcome = run.evaluate(compiled, budget)
    if (outcome.is === 'spent') return { is: 'failed', text: spentText }
    if (outcome.is === 'error') errors.add(outcome.text)
    else if (outcome.value === false) return { is: 'false', name }
  }
  if (errors.size === 0) return { is: 'true' }
  const [only, ...more] = errors
  return { is: 'failed', text: more.length === 0 ? String(only) : `[${[...errors].join(', ')}]` }
}
