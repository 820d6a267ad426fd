/**
 * Expressions about requests: what they may read, what they may cost, and what comes of them. Policies consist of them,
 * and webhooks have them as match conditions.
 *
 *  1. What is refused when a policy is written and what runs later is compiled by the same function.
 *  2. A run ends within its budget, whatever the expressions are, variables included.
 *  3. A run keeps nothing: the same inputs give the same outcome, so that it can be repeated when a check was answered.
 *
 * The room knows requests as plain JSON; who makes one, which policies match it and what a refusal looks like is for
 * admission to say.
 */

export { usesAuthorizer } from './authorizer-use.ts'
export type { CompiledExpression } from './compile-expression.ts'
export { type CompiledPolicy, compilePolicy, type PolicySpec } from './compile-policy.ts'
export type { DeclaredType } from './declared-types.ts'
export { type EnvironmentOptions, environmentFor } from './environment.ts'
export {
  type AuditAnnotation,
  evaluatePolicy,
  type PolicyResult,
  type ValidationFailure,
} from './evaluate-policy.ts'
export { type Activation, Evaluator } from './evaluator.ts'
export {
  type CompiledMatchCondition,
  compileMatchConditions,
  evaluateMatchConditions,
  type MatchCondition,
  type MatchOutcome,
} from './match-conditions.ts'
export {
  type CheckedSpec,
  type CheckedType,
  type ExpressionWarning,
  expressionWarnings,
  type ParamsType,
  typeFromOpenApi,
} from './type-check.ts'
export type { Variable } from './variables.ts'
