/** Which claims pods use. */
import type { PersistentVolumeClaim } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { controllerOf } from '../../reconcile/reconcile.ts'

/** The names of the claims that the volumes of a pod are of. A volume that goes with its pod has one of their names. */
export function claimNamesOf({ metadata, spec }: Stored<Pod>): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, ephemeral, persistentVolumeClaim }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName]
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`]
  })
}

/** Index from `<namespace>/<claim>` to the pods whose volumes are of the claim. */
export const claimIndex = {
  claims: (pod: Stored<Pod>): readonly string[] =>
    claimNamesOf(pod).map((name) => `${pod.metadata.namespace}/${name}`),
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
