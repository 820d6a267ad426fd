/** Which claims a pod uses, and which were made for it. */

import type { Pod, PodResourceClaim } from '../../../generated/apis/core/v1/pod.ts'
import type { ResourceClaim } from '../../../generated/apis/resource/v1alpha2/resource-claim.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { hasEnded } from '../../pods/pods.ts'
import { controllerOf } from '../../reconcile/reconcile.ts'

/** The claim that an entry of a pod leads to: its name, undefined where none was made yet, `unneeded` where none has to be. */
export function claimNameOf(
  { status }: Pick<Pod, 'status'>,
  { name, source }: PodResourceClaim,
): string | 'unneeded' | undefined {
  if (source?.resourceClaimName !== undefined) return source.resourceClaimName
  const made = status?.resourceClaimStatuses?.find((one) => one.name === name)
  return made && (made.resourceClaimName ?? 'unneeded')
}

/** The names of all claims that a pod uses. */
export function claimNames(pod: Pick<Pod, 'spec' | 'status'>): readonly string[] {
  const { resourceClaims = [] } = pod.spec ?? {}
  const names = resourceClaims.map((entry) => claimNameOf(pod, entry))
  return names.filter((name) => name !== undefined && name !== 'unneeded') as readonly string[]
}

/** True for a claim that was made for this pod. */
export function isMadeFor(claim: Stored<ResourceClaim>, pod: Stored<Pod>): boolean {
  return controllerOf(claim)?.uid === pod.metadata.uid
}

/** True for a pod that will not run any more. */
export function isDone(pod: Pod): boolean {
  const { metadata, spec } = pod
  return hasEnded(pod) || (metadata.deletionTimestamp !== undefined && !spec?.nodeName)
}
