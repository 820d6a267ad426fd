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
export type { Compiled } from './compile.ts'
export { type CompiledPolicy, compilePolicy, type PolicySpec } from './compile-policy.ts'
export {
  type CompiledCondition,
  type Condition,
  compileConditions,
  conditionsHold,
  type Holding,
} from './conditions.ts'
export { type Scope, scopeOf } from './environment.ts'
export type { Place } from './fields.ts'
export { type Denial, judge, type Note, type Verdict } from './judge.ts'
export { checksRights } from './rights.ts'
export { type Inputs, Run } from './run.ts'
export {
  type CheckedSpec,
  type CheckedType,
  type Parameters,
  publishedType,
  type TypeWarning,
  typeWarnings,
} from './type-check.ts'
export type { Variable } from './variables.ts'
