/** What is read of the volumes of pods, and of claims. */
import type { PersistentVolumeClaim } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Volume } from '../../../generated/apis/core/v1/volume.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { PlatformKeys } from './platform-keys.ts'

/** True for a volume whose disk other pods may have. */
export function isDisk(volume: Volume): boolean {
  return Boolean(
    volume.gcePersistentDisk ?? volume.awsElasticBlockStore ?? volume.rbd ?? volume.iscsi,
  )
}

/** The name of the claim that a volume is of. */
export function claimNameOf(pod: Stored<Pod>, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName
  return volume.ephemeral && `${pod.metadata.name}-${volume.name}`
}

/** The storage class of a claim or a volume; empty for none. */
export function storageClassOf(
  object: {
    readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
    readonly spec?: { readonly storageClassName?: string }
  },
  { formerStorageClass }: PlatformKeys,
): string {
  const former = object.metadata.annotations?.[formerStorageClass]
  return former ?? object.spec?.storageClassName ?? ''
}

/** True for a claim that has its volume for good. */
export function isBound(
  { metadata, spec }: Stored<PersistentVolumeClaim>,
  { bindCompleted }: PlatformKeys,
): boolean {
  return (spec?.volumeName ?? '') !== '' && metadata.annotations?.[bindCompleted] !== undefined
}
