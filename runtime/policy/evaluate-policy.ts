import { type Budget, type CelAuthorizer, costLimits } from '../cel/cel.ts'
import type { Steps } from '../kernel/async/slices.ts'
import type { CompiledPolicy, CompiledValidation } from './compile-policy.ts'
import { type Activation, budgetExceededMessage, Evaluator } from './evaluator.ts'
import { evaluateMatchConditions } from './match-conditions.ts'

/** A validation that does not hold or cannot be evaluated. */
export interface ValidationFailure {
  /** The index of the validation in the policy. */
  readonly index: number
  readonly text: string
  /** The reason that the validation names; absent if it could not be evaluated. */
  readonly reason?: string
  /** Denies the request whatever the validation actions of the binding. */
  readonly alwaysDeny?: true
}

/** The value of an audit annotation. */
export interface AuditAnnotation {
  readonly key: string
  readonly value: string
}

/** The result of a policy for one request with one param object. */
export interface PolicyResult {
  readonly failures: readonly ValidationFailure[]
  readonly auditAnnotations: readonly AuditAnnotation[]
}

const noResult: PolicyResult = { failures: [], auditAnnotations: [] }

/**
 * Evaluates a policy for one request with one param object. An expression that cannot be evaluated is a failure, or nothing if
 * `ignoreFailure` (supplement ). Yields the cost of each expression in steps.
 */
export function* evaluatePolicy(
  policy: CompiledPolicy,
  activation: Activation,
  authorizer: CelAuthorizer | undefined,
  ignoreFailure: boolean,
): Steps<PolicyResult> {
  const evaluator = new Evaluator(activation, policy.variables, authorizer)
  const failed = (text: string): PolicyResult =>
    ignoreFailure ? noResult : { failures: [{ index: 0, text }], auditAnnotations: [] }
  const match = evaluateMatchConditions(policy.conditions, evaluator)
  if (match.is === 'false') return noResult
  if (match.is === 'failed') return failed(match.text)
  const validated = yield* evaluateValidations(policy, evaluator)
  if (validated === 'spent') return failed(budgetExceededMessage)
  const annotated = yield* evaluateAuditAnnotations(policy, evaluator)
  if (annotated === 'spent') return failed(budgetExceededMessage)
  const all = [...validated, ...annotated.failures]
  const failures = ignoreFailure ? all.filter(({ reason }) => reason !== undefined) : all
  return { failures, auditAnnotations: annotated.auditAnnotations }
}

/** All validations, with their messages, share one cost budget. */
function* evaluateValidations(
  { validations }: CompiledPolicy,
  evaluator: Evaluator,
): Steps<readonly ValidationFailure[] | 'spent'> {
  const budget = { remaining: costLimits.object }
  const failures: ValidationFailure[] = []
  for (const [index, validation] of validations.entries()) {
    yield evaluator.takeCost()
    const outcome = evaluator.evaluate(validation.compiled, budget)
    if (outcome.is === 'spent') return 'spent'
    if (outcome.is === 'error') failures.push({ index, text: outcome.text })
    else if (outcome.value !== true) {
      failures.push({ index, ...failureOf(validation, evaluator, budget) })
    }
  }
  return failures
}

/** The failure of a validation that is false, with its message: the expression's, the written one, or the source. */
function failureOf(
  { reason = 'Invalid', message = '', expression, compiledMessage }: CompiledValidation,
  evaluator: Evaluator,
  budget: Budget,
): Omit<ValidationFailure, 'index'> {
  const outcome = compiledMessage && evaluator.evaluate(compiledMessage, budget)
  if (outcome?.is === 'spent') return { text: `failed messageExpression: ${budgetExceededMessage}` }
  const evaluated = outcome?.is === 'value' ? usableMessage(outcome.value) : ''
  return { reason, text: evaluated || message.trim() || `failed expression: ${expression.trim()}` }
}

/** Longest message of a message expression, in bytes. */
const maxMessageBytes = 5 * 1024

/** The trimmed message; empty if it is too long or has several lines. */
function usableMessage(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : ''
  return text.includes('\n') || Buffer.byteLength(text) > maxMessageBytes ? '' : text
}

/** Longest value of an audit annotation, in characters; longer ones are cut. */
const maxAnnotationLength = 10 * 1024

/** An annotation that fails denies the request, unless failures are ignored; null and blanks add nothing. */
function* evaluateAuditAnnotations(
  { annotations }: CompiledPolicy,
  evaluator: Evaluator,
): Steps<PolicyResult | 'spent'> {
  const budget = { remaining: costLimits.object }
  const failures: ValidationFailure[] = []
  const auditAnnotations: AuditAnnotation[] = []
  for (const { key, compiled } of annotations) {
    yield evaluator.takeCost()
    const outcome = evaluator.evaluate(compiled, budget)
    if (outcome.is === 'spent') return 'spent'
    if (outcome.is === 'error') failures.push({ index: 0, text: outcome.text, alwaysDeny: true })
    else if (typeof outcome.value === 'string' && outcome.value.trim() !== '') {
      const value = outcome.value.trim().slice(0, maxAnnotationLength)
      auditAnnotations.push({ key, value })
    }
  }
  return { failures, auditAnnotations }
}
