/** Policies and bindings as they are stored, made ready once for each version of the object. */
import type {
  ParamKind,
  ValidatingAdmissionPolicy,
} from '../../../generated/apis/admissionregistration/v1beta1/policy.ts'
import type {
  ParamRef,
  ValidatingAdmissionPolicyBinding,
} from '../../../generated/apis/admissionregistration/v1beta1/policy-binding.ts'
import { type CompiledPolicy, compilePolicy } from '../../policy/policy.ts'
import { type PluginContext, type StoredObject, servedKind } from '../chain/plugin-context.ts'
import { type MatchConstraints, parseMatchConstraints } from './match-constraints.ts'

/** A policy whose expressions are compiled. */
export interface Policy extends CompiledPolicy {
  readonly name: string
  readonly constraints: MatchConstraints
  readonly paramKind?: ParamKind
  readonly ignoreFailure: boolean
}

/** What puts a policy into effect. */
export interface Binding {
  readonly name: string
  readonly policyName: string
  readonly paramRef?: ParamRef
  /** Absent: all requests that the policy matches. */
  readonly constraints?: MatchConstraints
  readonly actions: readonly string[]
}

const policies = new WeakMap<StoredObject, Policy>()
const bindings = new WeakMap<StoredObject, Binding>()

/** All policies, by their names. A policy is compiled when it is first needed, and forgotten with its version. */
export function listPolicies(world: PluginContext): readonly Policy[] {
  const { brand } = world.scheme.platform
  return listStored(world, 'validatingadmissionpolicies').map((stored) =>
    parsedOnce(policies, stored, () => parsePolicy(stored.object() as never, brand)),
  )
}

/** All bindings, by their names. */
export function listBindings(world: PluginContext): readonly Binding[] {
  return listStored(world, 'validatingadmissionpolicybindings').map((stored) =>
    parsedOnce(bindings, stored, () => parseBinding(stored.object() as never)),
  )
}

function listStored(world: PluginContext, plural: string): readonly StoredObject[] {
  const path = `apis/admissionregistration.${world.scheme.platform.api}/v1beta1/${plural}`
  const kind = servedKind(world, path)
  return kind === undefined ? [] : world.lister.list(kind)
}

function parsedOnce<T>(memory: WeakMap<StoredObject, T>, stored: StoredObject, make: () => T): T {
  const known = memory.get(stored) ?? make()
  memory.set(stored, known)
  return known
}

function parsePolicy({ metadata, spec = {} }: ValidatingAdmissionPolicy, brand: string): Policy {
  const { paramKind, matchConstraints, failurePolicy } = spec
  return {
    ...compilePolicy(spec, brand),
    name: metadata.name ?? '',
    constraints: parseMatchConstraints(matchConstraints ?? {}),
    ...(paramKind && { paramKind }),
    ignoreFailure: failurePolicy === 'Ignore',
  }
}

function parseBinding({ metadata, spec = {} }: ValidatingAdmissionPolicyBinding): Binding {
  const { policyName = '', paramRef, matchResources, validationActions } = spec
  return {
    name: metadata.name ?? '',
    policyName,
    ...(paramRef && { paramRef }),
    ...(matchResources && { constraints: parseMatchConstraints(matchResources) }),
    actions: validationActions ?? [],
  }
}
