/** The claims of a pod, as they stand before any node is looked at. */
import type { PersistentVolumeClaim } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Volume } from '../../../generated/apis/core/v1/volume.ts'
import { controllerOf } from '../../kernel/meta/controller-of.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { claimNameOf, storageClassOf } from '../../pods/pods.ts'
import { isBound, isDisk } from '../facts/claims.ts'
import type { PodInfo } from '../facts/pod-class.ts'
import type { Cluster } from '../snapshot/cluster.ts'
import { type Rejection, unfit } from './rejection.ts'
import { type PlaceOfVolume, placesOf } from './volume-zone.ts'

type Claim = Stored<PersistentVolumeClaim>

/** What a pod wants of volumes. */
export interface PodVolumes {
  readonly volumes: readonly Volume[]
  readonly bound: readonly Claim[]
  /** Those that are bound once a node is chosen. */
  readonly waiting: readonly Claim[]
  /** The claims that one pod alone may use. */
  readonly exclusive: ReadonlySet<string>
  readonly places: readonly PlaceOfVolume[]
}

/** Undefined for a pod whose volumes do not matter, or why it can be on no node. */
export function podVolumesOf(
  { pod }: PodInfo,
  cluster: Cluster,
): { readonly found?: PodVolumes; readonly rejection?: Rejection } {
  const volumes = pod.spec?.volumes ?? []
  const named = volumes.filter((one) => claimNameOf(one, pod.metadata.name) !== undefined)
  if (named.length === 0 && !volumes.some(isDisk)) return {}
  const { namespace } = pod.metadata
  const { lookups, keys } = cluster
  const claims: Claim[] = []
  for (const volume of volumes) {
    const name = volume.persistentVolumeClaim?.claimName
    if (name !== undefined && lookups.claim(namespace, name) === undefined) {
      return { rejection: unfit('VolumeRestrictions', `persistentvolumeclaim "${name}" not found`) }
    }
  }
  for (const volume of named) {
    const name = claimNameOf(volume, pod.metadata.name)!
    const claim = lookups.claim(namespace, name)
    const problem = claimProblem(pod, volume, name, claim)
    if (problem !== undefined) return { rejection: unfit('VolumeBinding', problem) }
    claims.push(claim!)
  }
  const bound = claims.filter((one) => isBound(one, keys))
  const unbound = claims.filter((one) => !isBound(one, keys))
  const waits = (one: Claim): boolean =>
    (one.spec?.volumeName ?? '') === '' &&
    lookups.storageClass(storageClassOf(one, keys.formerStorageClass))?.volumeBindingMode ===
      'WaitForFirstConsumer'
  if (!unbound.every(waits)) {
    const reason = 'pod has unbound immediate PersistentVolumeClaims'
    return { rejection: unfit('VolumeBinding', reason) }
  }
  const placed = placesOf(pod, cluster)
  if ('filter' in placed) return { rejection: placed }
  const exclusive = claims.filter((one) => one.spec?.accessModes?.includes('ReadWriteOncePod'))
  const names = volumes.flatMap((one) => one.persistentVolumeClaim?.claimName ?? [])
  return {
    found: {
      ...{ volumes, bound, waiting: unbound, places: placed.places },
      exclusive: new Set(
        exclusive.map(({ metadata }) => metadata.name).filter((name) => names.includes(name)),
      ),
    },
  }
}

function claimProblem(
  pod: Stored<Pod>,
  { ephemeral }: Volume,
  name: string,
  claim: Claim | undefined,
): string | undefined {
  if (claim === undefined) {
    return ephemeral === undefined
      ? `persistentvolumeclaim "${name}" not found`
      : `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
  }
  const { metadata, spec, status } = claim
  if (status?.phase === 'Lost') {
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${spec?.volumeName ?? ''}"`
  }
  if (metadata.deletionTimestamp !== undefined) {
    return `persistentvolumeclaim "${name}" is being deleted`
  }
  if (ephemeral === undefined) return undefined
  if (controllerOf(claim)?.uid === pod.metadata.uid) return undefined
  const { namespace, name: podName } = pod.metadata
  return `PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`
}
