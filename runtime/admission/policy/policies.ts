import type {
  ParamKind,
  ValidatingAdmissionPolicy,
} from '../../../generated/apis/admissionregistration/v1beta1/policy.ts'
import type {
  ParamRef,
  ValidatingAdmissionPolicyBinding,
} from '../../../generated/apis/admissionregistration/v1beta1/policy-binding.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { type CompiledPolicy, compilePolicy } from '../../policy/policy.ts'
import { ParsedObjects } from '../chain/parsed-objects.ts'
import { listStored, type PluginContext, type StoredObject } from '../chain/plugin-context.ts'
import { type MatchConstraints, parseMatchConstraints } from './match-constraints.ts'
import { type PolicyResource, policyPath } from './policy-resources.ts'

/** A policy with its compiled expressions. */
export interface Policy extends CompiledPolicy {
  readonly name: string
  readonly constraints: MatchConstraints
  readonly paramKind?: ParamKind
  /** True for the failure policy Ignore. */
  readonly ignoreFailure: boolean
}

/** A binding, which puts a policy into effect. */
export interface Binding {
  readonly name: string
  readonly policyName: string
  readonly paramRef?: ParamRef
  /** Absent if the binding applies to every request that the policy matches. */
  readonly constraints?: MatchConstraints
  readonly actions: readonly string[]
}

/** The policies and bindings of a server. Each version of a policy is compiled once, when it is first needed. */
export class Policies {
  readonly #context: PluginContext
  readonly #policies: ParsedObjects<Policy>
  readonly #bindings = new ParsedObjects(parseBinding)

  constructor(context: PluginContext) {
    const { brand } = context.scheme.platform
    this.#context = context
    this.#policies = new ParsedObjects((stored) => parsePolicy(stored, brand))
  }

  /** All policies, ordered by name. */
  listPolicies(): readonly Policy[] {
    return this.#stored('validatingadmissionpolicies').map((one) => this.#policies.get(one))
  }

  /** All bindings, ordered by name. */
  listBindings(): readonly Binding[] {
    return this.#stored('validatingadmissionpolicybindings').map((one) => this.#bindings.get(one))
  }

  #stored(resource: PolicyResource): readonly StoredObject[] {
    return listStored(this.#context, policyPath(this.#context, resource))
  }
}

function parsePolicy(stored: StoredObject, brand: string): Policy {
  const { metadata, spec = {} } = stored.object() as Stored<ValidatingAdmissionPolicy>
  const { paramKind, matchConstraints, failurePolicy } = spec
  return {
    ...compilePolicy(spec, brand),
    name: metadata.name,
    constraints: parseMatchConstraints(matchConstraints ?? {}),
    ...(paramKind && { paramKind }),
    ignoreFailure: failurePolicy === 'Ignore',
  }
}

function parseBinding(stored: StoredObject): Binding {
  const { metadata, spec = {} } = stored.object() as Stored<ValidatingAdmissionPolicyBinding>
  const { policyName = '', paramRef, matchResources, validationActions } = spec
  return {
    name: metadata.name,
    policyName,
    ...(paramRef && { paramRef }),
    ...(matchResources && { constraints: parseMatchConstraints(matchResources) }),
    actions: validationActions ?? [],
  }
}
