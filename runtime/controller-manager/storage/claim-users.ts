/** Which claims pods use. */
import type { PersistentVolumeClaim } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import { controllerOf } from '../../kernel/meta/controller-of.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { podClaimNames } from '../../pods/pods.ts'

/** Index from `<namespace>/<claim>` to the pods whose volumes are of the claim. */
export const claimIndex = {
  claims: (pod: Stored<Pod>): readonly string[] =>
    podClaimNames(pod.spec ?? {}, pod.metadata.name).map(
      (name) => `${pod.metadata.namespace}/${name}`,
    ),
}

/** True for a pod that has a node and uses the claim there. */
export function usesClaim(pod: Stored<Pod>, claim: Stored<PersistentVolumeClaim>): boolean {
  const { metadata, spec } = pod
  if ((spec?.nodeName ?? '') === '' || metadata.namespace !== claim.metadata.namespace) return false
  const isShutDown =
    metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0
  return (spec?.volumes ?? []).some(({ name, ephemeral, persistentVolumeClaim }) => {
    if (persistentVolumeClaim?.claimName === claim.metadata.name) return true
    const isOwn = `${metadata.name}-${name}` === claim.metadata.name
    return ephemeral !== undefined && isOwn && !isShutDown && isOf(claim, pod)
  })
}

/** True for a claim that was made for a pod. */
export function isOf(claim: Stored<PersistentVolumeClaim>, pod: Stored<Pod>): boolean {
  return controllerOf(claim)?.uid === pod.metadata.uid
}
