import { usesAuthorizer } from './authorizer-use.ts'
import { type CompiledExpression, compileExpression } from './compile-expression.ts'
import { environmentFor } from './environment.ts'
import {
  type CompiledMatchCondition,
  compileMatchConditions,
  type MatchCondition,
} from './match-conditions.ts'
import { type CompiledVariable, compileVariables, type Variable } from './variables.ts'

/** The parts of a policy's spec that are about expressions. */
export interface PolicySpec {
  readonly paramKind?: object
  readonly matchConditions?: readonly MatchCondition[]
  readonly variables?: readonly Variable[]
  readonly validations?: readonly ValidationSpec[]
  readonly auditAnnotations?: readonly AnnotationSpec[]
}

/** What has to hold, and what is said where it does not. */
export interface ValidationSpec {
  readonly expression: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
}

/** What is noted for the audit log, and under which key. */
export interface AnnotationSpec {
  readonly key: string
  readonly valueExpression: string
}

/** A policy whose expressions are compiled, those with problems included. */
export interface CompiledPolicy {
  readonly conditions: readonly CompiledMatchCondition[]
  readonly variables: readonly CompiledVariable[]
  readonly validations: readonly CompiledValidation[]
  readonly annotations: readonly (AnnotationSpec & { readonly compiled: CompiledExpression })[]
  readonly usesAuthorizer: boolean
}

/** A validation whose expressions are compiled. */
export interface CompiledValidation extends ValidationSpec {
  readonly compiled: CompiledExpression
  /** Its message expression. */
  readonly compiledMessage: CompiledExpression | undefined
}

/**
 * Compiles all expressions of a policy. Conditions see no variables, for they are evaluated before anything else;
 * messages may not check rights.
 */
export function compilePolicy(spec: PolicySpec, brand: string): CompiledPolicy {
  const params = spec.paramKind !== undefined
  const scope = environmentFor({ brand, params, authorizer: true })
  const conditions = compileMatchConditions(spec.matchConditions ?? [], scope)
  const { variables, within } = compileVariables(spec.variables ?? [], scope)
  const full = within(scope)
  const plain = within(environmentFor({ brand, params, authorizer: false }))
  const validations = (spec.validations ?? []).map((one) => ({
    ...one,
    compiled: compileExpression(one.expression, 'validation', full),
    compiledMessage: one.messageExpression
      ? compileExpression(one.messageExpression, 'message', plain)
      : undefined,
  }))
  const annotations = (spec.auditAnnotations ?? []).map((one) => ({
    ...one,
    compiled: compileExpression(one.valueExpression, 'annotation', full),
  }))
  const all = [...conditions, ...variables, ...validations, ...annotations]
  return {
    conditions,
    variables,
    validations,
    annotations,
    usesAuthorizer: usesAuthorizer(all.map(({ compiled }) => compiled)),
  }
}
