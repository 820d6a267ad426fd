/**
 * Admission expressions in CEL: the expressions of validating admission policies, and the match conditions of webhooks.
 *
 *  1. Validation of a policy and its evaluation compile expressions with the same function.
 *  2. An evaluation ends within its cost budget, composited variables included.
 *  3. An evaluation has no state: the same activation gives the same result, so that it can be repeated after each decision of
 *     an asynchronous authorizer.
 *
 * The module knows requests as JSON. Admission decides which policies match a request, and what a denial looks like.
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
