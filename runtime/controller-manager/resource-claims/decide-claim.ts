/** Whom a claim still lets in, and whether it is still needed. */
import type {
  ResourceClaim,
  ResourceClaimConsumerReference,
} from '../../../generated/apis/resource/v1alpha2/resource-claim.ts'
import type { Stored } from '../../kernel/meta/object.ts'

/** What became of a pod: it may run, will not run any more, or there is none of that uid. */
export type PodFate = 'runs' | 'done' | 'gone'

/** What is to be written. */
export interface ClaimPlan {
  readonly write?: Stored<ResourceClaim>
  readonly remove?: true
  /** A consumer that is no pod: who wrote it has to take it away. */
  readonly unsupported?: ResourceClaimConsumerReference
}

/**
 * What is to be done with a claim: consumers that are gone leave it, one for the first consumer is given back with the last of them, and one
 * that was made for a pod goes when the pod has ended, or another one has its name.
 */
export function decideClaim(
  claim: Stored<ResourceClaim>,
  fateOf: (consumer: ResourceClaimConsumerReference) => PodFate,
  owner: PodFate | undefined,
): ClaimPlan {
  const { reservedFor = [] } = claim.status ?? {}
  const unsupported = reservedFor.find(
    ({ apiGroup = '', resource }) => apiGroup !== '' || resource !== 'pods',
  )
  if (unsupported !== undefined) return { unsupported }
  const left = reservedFor.filter((one) => fateOf(one) === 'runs')
  const isFree = left.length === 0
  const returns = isFree && claim.spec.allocationMode === 'WaitForFirstConsumer'
  const status = {
    ...claim.status,
    reservedFor: left,
    ...(returns && { deallocationRequested: true }),
  }
  return {
    ...(left.length < reservedFor.length && { write: { ...claim, status } }),
    ...(isFree && owner !== undefined && owner !== 'runs' && { remove: true as const }),
  }
}
