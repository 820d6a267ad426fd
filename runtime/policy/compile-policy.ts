import type {
  AuditAnnotation as AuditAnnotationSpec,
  ValidatingAdmissionPolicySpec,
  Validation,
} from '../../generated/apis/admissionregistration/v1beta1/policy.ts'
import type { Environment } from '../cel/cel.ts'
import { usesAuthorizer } from './authorizer-use.ts'
import { type CompiledExpression, compileExpression } from './compile-expression.ts'
import { environmentFor } from './environment.ts'
import { type CompiledMatchCondition, compileMatchConditions } from './match-conditions.ts'
import { type CompiledVariable, compileVariables } from './variables.ts'

/** The fields of a policy's spec that hold expressions, and whether it has params. */
export type PolicySpec = Pick<
  ValidatingAdmissionPolicySpec,
  'paramKind' | 'matchConditions' | 'variables' | 'validations' | 'auditAnnotations'
>

/** A policy with compiled expressions, those with compilation errors included. */
export interface CompiledPolicy {
  readonly conditions: readonly CompiledMatchCondition[]
  readonly variables: readonly CompiledVariable[]
  readonly validations: readonly CompiledValidation[]
  readonly annotations: readonly CompiledAnnotation[]
  /** True if evaluating the policy may wait for the authorizer. */
  readonly usesAuthorizer: boolean
}

/** A validation with its compiled expressions. */
export interface CompiledValidation extends Validation {
  readonly compiled: CompiledExpression
  readonly compiledMessage: CompiledExpression | undefined
}

/** An audit annotation with its compiled value expression. */
export interface CompiledAnnotation extends AuditAnnotationSpec {
  readonly compiled: CompiledExpression
}

/**
 * Compiles the expressions of a policy for a platform. Match conditions have no variables, because
 * they are evaluated first; message expressions have no authorizer. Without paramKind `params` is
 * no variable at all, and an expression that reads it does not compile. `stored`: the expressions of the policy that is
 * replaced, which may use functions that new ones may not; without it all may.
 */
export function compilePolicy(
  spec: PolicySpec,
  brand: string,
  stored?: ReadonlySet<string>,
): CompiledPolicy {
  const params = spec.paramKind !== undefined
  const environment = environmentFor({ brand, params, authorizer: true, stored })
  const conditions = compileMatchConditions(spec.matchConditions ?? [], environment)
  const { variables, within } = compileVariables(spec.variables ?? [], environment)
  const full = within(environment)
  const forMessages = within(environmentFor({ brand, params, authorizer: false, stored }))
  const validations = (spec.validations ?? []).map((one) =>
    compileValidation(one, full, forMessages),
  )
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

/** An empty message expression counts as none. */
function compileValidation(
  validation: Validation,
  environment: Environment,
  forMessages: Environment,
): CompiledValidation {
  const { expression, messageExpression } = validation
  return {
    ...validation,
    compiled: compileExpression(expression, 'validation', environment),
    compiledMessage: messageExpression
      ? compileExpression(messageExpression, 'message', forMessages)
      : undefined,
  }
}
