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
import { resourceAt, type Stored, type World } from '../world.ts'
import { type Constraints, constraintsOf } from './match.ts'

/** A policy whose expressions are compiled. */
export interface Policy extends CompiledPolicy {
  readonly name: string
  readonly constraints: Constraints
  readonly paramKind?: ParamKind
  readonly ignoreFailure: boolean
}

/** What puts a policy into effect. */
export interface Binding {
  readonly name: string
  readonly policyName: string
  readonly paramRef?: ParamRef
  /** Absent: all requests that the policy matches. */
  readonly constraints?: Constraints
  readonly actions: readonly string[]
}

const policies = new WeakMap<Stored, Policy>()
const bindings = new WeakMap<Stored, Binding>()

/** All policies, by their names. A policy is compiled when it is first needed, and forgotten with its version. */
export function policiesOf(world: World): readonly Policy[] {
  const { brand } = world.tree.platform
  return storedAt(world, 'validatingadmissionpolicies').map((stored) =>
    remembered(policies, stored, () => readPolicy(stored.object() as never, brand)),
  )
}

/** All bindings, by their names. */
export function bindingsOf(world: World): readonly Binding[] {
  return storedAt(world, 'validatingadmissionpolicybindings').map((stored) =>
    remembered(bindings, stored, () => readBinding(stored.object() as never)),
  )
}

function storedAt(world: World, plural: string): readonly Stored[] {
  const path = `apis/admissionregistration.${world.tree.platform.api}/v1beta1/${plural}`
  const kind = resourceAt(world, path)
  return kind === undefined ? [] : world.lister.list(kind)
}

function remembered<T>(memory: WeakMap<Stored, T>, stored: Stored, make: () => T): T {
  const known = memory.get(stored) ?? make()
  memory.set(stored, known)
  return known
}

function readPolicy({ metadata, spec = {} }: ValidatingAdmissionPolicy, brand: string): Policy {
  const { paramKind, matchConstraints, failurePolicy } = spec
  return {
    ...compilePolicy(spec, brand),
    name: metadata.name ?? '',
    constraints: constraintsOf(matchConstraints ?? {}),
    ...(paramKind && { paramKind }),
    ignoreFailure: failurePolicy === 'Ignore',
  }
}

function readBinding({ metadata, spec = {} }: ValidatingAdmissionPolicyBinding): Binding {
  const { policyName = '', paramRef, matchResources, validationActions } = spec
  return {
    name: metadata.name ?? '',
    policyName,
    ...(paramRef && { paramRef }),
    ...(matchResources && { constraints: constraintsOf(matchResources) }),
    actions: validationActions ?? [],
  }
}
