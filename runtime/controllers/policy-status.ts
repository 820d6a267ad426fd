import { objectKey } from '../informer/informer.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import { done, type KeyController, watching } from '../reconcile/reconcile.ts'
import { ignoreLostRace } from './contract/lost-race.ts'
import type { CheckedPolicySpec } from './policy-type-checking.ts'

/** The kind of admission policies as they are stored, if a scheme has it. */
export function policyKind({ routes, platform }: Scheme): AnyKind | undefined {
  const path = `apis/admissionregistration.${platform.api}/v1beta1/validatingadmissionpolicies`
  return Object.hasOwn(routes, path) ? routes[path] : undefined
}

/** Which policies are checked, and against what. */
export interface PolicyStatusOptions {
  readonly kind: AnyKind
  /** What is served now: the schemas that expressions are checked against. */
  readonly scheme: () => Scheme
}

/**
 * Tells authors of admission policies what the published schemas say of their expressions, in the policy's status. Each
 * generation is looked at once. Nothing is decided by it.
 *
 *   reads    ValidatingAdmissionPolicy
 *   writes   ValidatingAdmissionPolicy: status
 *   wakes    when a policy changes
 *   settles  when the status has observed the generation
 */
export function policyStatusController({ kind, scheme }: PolicyStatusOptions): KeyController {
  return {
    name: 'policy-status',
    watches: [watching(kind, (policy) => [objectKey(policy)])],
    concurrency: 1,
    async reconcile(key, { client, cached }) {
      const policy = cached(kind).get(key) as Stored<Policy> | undefined
      if (policy === undefined || !isUnchecked(policy)) return done
      const { typeCheckingWarnings } = await import('./policy-type-checking.ts')
      const warnings = await typeCheckingWarnings(scheme(), policy.spec ?? {})
      const status = decidePolicyStatus(policy, warnings)
      const { name } = policy.metadata
      const options = { subresource: 'status', manager, force: true }
      const resource = client.resource<Policy>(kind)
      await ignoreLostRace(resource.apply({ metadata: { name }, status }, options))
      return done
    },
  }
}

/** The field manager of the status, as in the public ecosystem. */
const manager = 'validatingadmissionpolicy-status'

interface Policy extends ApiObject {
  readonly spec?: CheckedPolicySpec
  readonly status?: {
    readonly observedGeneration?: number
    readonly typeChecking?: { readonly expressionWarnings?: readonly object[] }
  }
}

/** True if the generation of a policy was not looked at yet. */
function isUnchecked({ metadata: { generation = 0 }, status }: Stored<Policy>): boolean {
  return generation > (status?.observedGeneration ?? 0)
}

/** The status of a policy of which the schemas say these warnings. */
export function decidePolicyStatus(
  { metadata: { generation = 0 } }: Stored<Policy>,
  warnings: readonly object[],
): NonNullable<Policy['status']> {
  const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings }
  return { observedGeneration: generation, typeChecking }
}
