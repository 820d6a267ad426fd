import { type Compiled, compileExpression } from './compile.ts'
import { type CompiledCondition, type Condition, compileConditions } from './conditions.ts'
import { scopeOf } from './environment.ts'
import { checksRights } from './rights.ts'
import { type CompiledVariable, compileVariables, type Variable } from './variables.ts'

/** The parts of a policy's spec that are about expressions. */
export interface PolicySpec {
  readonly paramKind?: object
  readonly matchConditions?: readonly Condition[]
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
  readonly conditions: readonly CompiledCondition[]
  readonly variables: readonly CompiledVariable[]
  readonly validations: readonly CompiledValidation[]
  readonly annotations: readonly (AnnotationSpec & { readonly compiled: Compiled })[]
  readonly checksRights: boolean
}

/** A validation whose expressions are compiled. */
export interface CompiledValidation extends ValidationSpec {
  readonly compiled: Compiled
  /** Its message expression. */
  readonly text: Compiled | undefined
}

/**
 * Compiles all expressions of a policy. Conditions see no variables, for they are evaluated before anything else;
 * messages may not check rights.
 */
export function compilePolicy(spec: PolicySpec, brand: string): CompiledPolicy {
  const params = spec.paramKind !== undefined
  const scope = scopeOf({ brand, params, authorizer: true })
  const conditions = compileConditions(spec.matchConditions ?? [], scope)
  const { variables, within } = compileVariables(spec.variables ?? [], scope)
  const full = within(scope)
  const plain = within(scopeOf({ brand, params, authorizer: false }))
  const validations = (spec.validations ?? []).map((one) => ({
    ...one,
    compiled: compileExpression(one.expression, 'validation', full),
    text: one.messageExpression
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
    checksRights: checksRights(all.map(({ compiled }) => compiled)),
  }
}
