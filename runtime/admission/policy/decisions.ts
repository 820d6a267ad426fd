import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { AuditAnnotation, PolicyResult, ValidationFailure } from '../../policy/policy.ts'
import type { Recorder } from '../chain/attributes.ts'
import type { PolicyDenial } from './denial.ts'
import type { Binding, Policy } from './policies.ts'

/** Longest audit annotation, in characters: values that would exceed it are dropped. */
const maxAnnotationLength = 64 * 1024

const separator = ', '

/** The values of one audit annotation. */
interface AnnotationValues {
  readonly values: Set<string>
  length: number
}

/** Collects what policies decide about one request: denials, warnings and audit annotations. */
export class PolicyDecisions {
  readonly denials: PolicyDenial[] = []
  readonly #recorder: Recorder
  readonly #failureKey: string
  #hasAuditedFailure = false
  #annotations = new Map<string, AnnotationValues>()

  constructor(recorder: Recorder, { api }: Platform) {
    this.#recorder = recorder
    this.#failureKey = `validation.policy.admission.${api}/validation_failure`
  }

  /** Adds the result of a policy, by the validation actions of the binding. */
  add(policy: Policy, binding: Binding, { failures, auditAnnotations }: PolicyResult): void {
    for (const failure of failures) {
      const actions = failure.alwaysDeny ? ['Deny'] : binding.actions
      for (const action of actions) this.#act(action, policy, binding, failure)
    }
    for (const annotation of auditAnnotations) this.#addAnnotation(annotation)
  }

  /** Adds a denial for a policy or binding that cannot be applied, unless its failure policy is Ignore. */
  addConfigurationError(policy: Policy, binding: Binding | undefined, text: string): void {
    if (policy.ignoreFailure) return
    this.denials.push({ policy: policy.name, ...(binding && { binding: binding.name }), text })
  }

  /** Records the audit annotations of a policy, with the values of all its bindings joined and each of them once. */
  publishAuditAnnotations({ name }: Policy): void {
    for (const [key, { values }] of this.#annotations) {
      this.#recorder.annotate(`${name}/${key}`, [...values].join(separator))
    }
    this.#annotations = new Map()
  }

  /** Adds a value that the annotation does not have yet, as long as there is room. */
  #addAnnotation({ key, value }: AuditAnnotation): void {
    const annotation = this.#annotations.get(key) ?? { values: new Set(), length: 0 }
    this.#annotations.set(key, annotation)
    const length = annotation.length + value.length + separator.length
    if (length > maxAnnotationLength || annotation.values.has(value)) return
    annotation.values.add(value)
    annotation.length = length
  }

  #act(action: string, policy: Policy, binding: Binding, failure: ValidationFailure): void {
    if (action === 'Deny') this.#deny(policy, binding, failure)
    if (action === 'Warn') this.#warn(policy, binding, failure)
    if (action === 'Audit') this.#audit(policy, binding, failure)
  }

  #deny(policy: Policy, binding: Binding, { text, reason }: ValidationFailure): void {
    const denial = { policy: policy.name, binding: binding.name, text }
    this.denials.push({ ...denial, ...(reason && { reason }) })
  }

  #warn(policy: Policy, binding: Binding, { text }: ValidationFailure): void {
    const name = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`
    this.#recorder.warn(`Validation failed for ${name}: ${text}`)
  }

  /** The annotation holds one failure: the first. */
  #audit(policy: Policy, binding: Binding, { index, text }: ValidationFailure): void {
    if (this.#hasAuditedFailure) return
    this.#hasAuditedFailure = true
    const failure = {
      message: text,
      policy: policy.name,
      binding: binding.name,
      expressionIndex: index,
      validationActions: binding.actions,
    }
    this.#recorder.annotate(this.#failureKey, JSON.stringify([failure]))
  }
}
