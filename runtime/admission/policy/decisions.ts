import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { PolicyResult, ValidationFailure } from '../../policy/policy.ts'
import type { Recorder } from '../chain/attributes.ts'
import type { PolicyDenial } from './denial.ts'
import type { Binding, Policy } from './policies.ts'

/** Longest note under one key, in characters: of more values the first count. */
const maxAnnotationLength = 64 * 1024

const separator = ', '

/** The values of one key. */
interface AnnotationValues {
  readonly values: Set<string>
  length: number
}

/** What policies come to for one request: refusals are gathered, warnings told, and notes kept for the audit log. */
export class PolicyDecisions {
  readonly denials: PolicyDenial[] = []
  readonly #voice: Recorder
  readonly #failureKey: string
  #noted = false
  #notes = new Map<string, AnnotationValues>()

  constructor(voice: Recorder, { api }: Platform) {
    this.#voice = voice
    this.#failureKey = `validation.policy.admission.${api}/validation_failure`
  }

  /** Does with a verdict what the binding says. */
  add(
    policy: Policy,
    binding: Binding,
    { failures: denials, auditAnnotations: notes }: PolicyResult,
  ): void {
    for (const denial of denials) {
      if (denial.alwaysDeny) this.#refuse(policy, binding, denial)
      else for (const action of binding.actions) this.#act(action, policy, binding, denial)
    }
    for (const { key, value } of notes) {
      const noted = this.#notes.get(key) ?? { values: new Set(), length: 0 }
      this.#notes.set(key, noted)
      const length = noted.length + value.length + separator.length
      if (length > maxAnnotationLength || noted.values.has(value)) continue
      noted.values.add(value)
      noted.length = length
    }
  }

  /** The policy, or its binding, cannot be applied. */
  addConfigurationError(policy: Policy, binding: Binding | undefined, text: string): void {
    if (policy.ignoreFailure) return
    this.denials.push({ policy: policy.name, ...(binding && { binding: binding.name }), text })
  }

  /** Puts the notes of a policy where the audit log finds them. Of several bindings' values, each is there once. */
  publishAuditAnnotations({ name }: Policy): void {
    for (const [key, { values }] of this.#notes) {
      this.#voice.annotate(`${name}/${key}`, [...values].join(separator))
    }
    this.#notes = new Map()
  }

  #act(action: string, policy: Policy, binding: Binding, denial: ValidationFailure): void {
    if (action === 'Deny') this.#refuse(policy, binding, denial)
    if (action === 'Warn') {
      const who = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`
      this.#voice.warn(`Validation failed for ${who}: ${denial.text}`)
    }
    if (action === 'Audit') this.#note(policy, binding, denial)
  }

  #refuse(policy: Policy, binding: Binding, { text, reason }: ValidationFailure): void {
    this.denials.push({
      policy: policy.name,
      binding: binding.name,
      text,
      ...(reason && { reason }),
    })
  }

  /** The audit event has room for one of them: the first. */
  #note(policy: Policy, binding: Binding, { index, text }: ValidationFailure): void {
    if (this.#noted) return
    this.#noted = true
    const failure = {
      message: text,
      policy: policy.name,
      binding: binding.name,
      expressionIndex: index,
      validationActions: binding.actions,
    }
    this.#voice.annotate(this.#failureKey, JSON.stringify([failure]))
  }
}
