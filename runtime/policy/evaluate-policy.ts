import { type Budget, type CelAuthorizer, costLimits } from '../cel/cel.ts'
import type { Steps } from '../kernel/async/slices.ts'
import type { CompiledPolicy, CompiledValidation } from './compile-policy.ts'
import { type Activation, budgetExceededMessage, Evaluator } from './evaluator.ts'
import { evaluateMatchConditions } from './match-conditions.ts'

/** What a policy holds against a request. `index`: the validation that says so. */
export interface ValidationFailure {
  readonly index: number
  readonly text: string
  /** The word for it that the validation gives; absent for one that could not be evaluated. */
  readonly reason?: string
  /** Refuses whatever is to be done about what validations say. */
  readonly alwaysDeny?: true
}

/** What is to be noted in the audit log. */
export interface AuditAnnotation {
  readonly key: string
  readonly value: string
}

/** What a policy says of one request, with one set of parameters. */
export interface PolicyResult {
  readonly failures: readonly ValidationFailure[]
  readonly auditAnnotations: readonly AuditAnnotation[]
}

const noResult: PolicyResult = { failures: [], auditAnnotations: [] }

/**
 * What a policy says of a request, with one set of parameters. What cannot be evaluated counts as refused, or with
 * `ignoreFailure` as if it was not there (supplement ). It stops between expressions when those before it took
 * long.
 */
export function* evaluatePolicy(
  policy: CompiledPolicy,
  inputs: Activation,
  authority: CelAuthorizer | undefined,
  ignoreFailure: boolean,
): Steps<PolicyResult> {
  const run = new Evaluator(inputs, policy.variables, authority)
  const failed = (text: string): PolicyResult =>
    ignoreFailure ? noResult : { failures: [{ index: 0, text }], auditAnnotations: [] }
  const held = evaluateMatchConditions(policy.conditions, run)
  if (held.is === 'false') return noResult
  if (held.is === 'failed') return failed(held.text)
  const validated = yield* runValidations(policy, run)
  if (validated === 'spent') return failed(budgetExceededMessage)
  const annotated = yield* runAuditAnnotations(policy, run)
  if (annotated === 'spent') return failed(budgetExceededMessage)
  const all = [...validated, ...annotated.failures]
  const denials = ignoreFailure ? all.filter(({ reason }) => reason !== undefined) : all
  return { failures: denials, auditAnnotations: annotated.auditAnnotations }
}

function* runValidations(
  { validations }: CompiledPolicy,
  run: Evaluator,
): Steps<readonly ValidationFailure[] | 'spent'> {
  const budget = { remaining: costLimits.object }
  const denials: ValidationFailure[] = []
  for (const [index, validation] of validations.entries()) {
    yield run.takeWork()
    const outcome = run.evaluate(validation.compiled, budget)
    if (outcome.is === 'spent') return 'spent'
    if (outcome.is === 'error') denials.push({ index, text: outcome.text })
    else if (outcome.value !== true) denials.push({ index, ...failureOf(validation, run, budget) })
  }
  return denials
}

function failureOf(
  validation: CompiledValidation,
  run: Evaluator,
  budget: Budget,
): Omit<ValidationFailure, 'index'> {
  const { reason = 'Invalid', message = '', expression, compiledMessage: text } = validation
  const outcome = text && run.evaluate(text, budget)
  if (outcome?.is === 'spent') return { text: `failed messageExpression: ${budgetExceededMessage}` }
  const made = outcome?.is === 'value' ? usableMessage(outcome.value) : ''
  return { reason, text: made || message.trim() || `failed expression: ${expression.trim()}` }
}

/** Longest message that an expression may make, in bytes. */
const maxMessageBytes = 5 * 1024

/** A made message on one line; nothing where it is none that could be shown. */
function usableMessage(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : ''
  return text.includes('\n') || Buffer.byteLength(text) > maxMessageBytes ? '' : text
}

/** Longest note, in characters. */
const maxAnnotationLength = 10 * 1024

function* runAuditAnnotations(
  { annotations }: CompiledPolicy,
  run: Evaluator,
): Steps<PolicyResult | 'spent'> {
  const budget = { remaining: costLimits.object }
  const denials: ValidationFailure[] = []
  const notes: AuditAnnotation[] = []
  for (const { key, compiled } of annotations) {
    yield run.takeWork()
    const outcome = run.evaluate(compiled, budget)
    if (outcome.is === 'spent') return 'spent'
    if (outcome.is === 'error') denials.push({ index: 0, text: outcome.text, alwaysDeny: true })
    else if (typeof outcome.value === 'string' && outcome.value.trim() !== '') {
      notes.push({ key, value: outcome.value.trim().slice(0, maxAnnotationLength) })
    }
  }
  return { failures: denials, auditAnnotations: notes }
}
